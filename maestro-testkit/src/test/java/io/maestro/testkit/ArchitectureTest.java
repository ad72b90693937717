package io.maestro.testkit;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the compiler does not hold. The common rules are for what hosts run, and this is for tests. */
@AnalyzeClasses(packages = "io.maestro.testkit", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule A_SCRIPT_NEEDS_NO_TEST_FRAMEWORK = noClasses()
            .that()
            .resideInAPackage("io.maestro.testkit")
            .should()
            .dependOnClassesThat(resideInAnyPackage("org.junit..", "org.assertj..", "io.maestro.testkit.contract"));

    @ArchTest
    static final ArchRule USES_WHAT_EVERYBODY_CAN = noClasses()
            .that()
            .haveNameNotMatching(".*\\.(ToolTester|GitWorkspace|WireFormats)(\\$.*)?")
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.maestro..internal.."));

    /** A tool is tested with what agents have beside it, and in the formats that their models are asked in. */
    @ArchTest
    static final ArchRule A_TOOL_HAS_WHAT_AN_AGENT_HAS = noClasses()
            .should()
            .dependOnClassesThat(resideInAnyPackage("org.mockito..")
                    .or(resideInAnyPackage("io.maestro..internal..")
                            .and(not(resideInAnyPackage(
                                    "io.maestro.builtin.internal",
                                    "io.maestro.llm.internal",
                                    "io.maestro.project.internal",
                                    "io.maestro.runtime.internal")))));
}
