package io.maestro.testkit;

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
    static final ArchRule USES_WHAT_EVERYBODY_CAN =
            noClasses().should().dependOnClassesThat(resideInAnyPackage("io.maestro..internal..", "org.mockito.."));
}
