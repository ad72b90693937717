package io.maestro.claude;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.maestro.CommonRules.mentionNone;
import static io.maestro.testing.AssertThat.assertThat;
import static java.util.stream.Collectors.toSet;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.maestro.CommonRules;
import io.maestro.error.MaestroException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.util.List;
import java.util.Set;

/** The rules of DESIGN that a compiler does not hold. */
@AnalyzeClasses(
        packages = {"io.maestro.claude", "io.maestro.mcp"},
        importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchTests COMMON = ArchTests.in(CommonRules.class);

    /** The pieces of the mode. The public package is their face, and one part with what is under it. */
    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("io.maestro.claude.internal.(*)..").should().beFreeOfCycles();

    /** The pieces can be used, and tested, one by one; only the mode ties them together. */
    @ArchTest
    static final ArchRule THE_PIECES_KNOW_NOTHING_OF_THE_MODE = noClasses()
            .that()
            .resideInAPackage("io.maestro.claude.internal..")
            .and()
            .resideOutsideOfPackage("io.maestro.claude.internal.coder..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.maestro.claude.internal.coder.."))
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(ClaudeCodeMode.class);

    /** Any MCP client may use the server, not only the CLI. */
    @ArchTest
    static final ArchRule THE_SERVER_KNOWS_NOTHING_OF_THE_CLI = noClasses()
            .that()
            .resideInAPackage("io.maestro.mcp..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.maestro.claude.."));

    @ArchTest
    static final ArchRule THE_CLI_KNOWS_ONLY_THE_FACE_OF_THE_SERVER = noClasses()
            .that()
            .resideInAPackage("io.maestro.claude..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.maestro.mcp.internal.."));

    /** Containers are seen as executors and environments: core's types. */
    @ArchTest
    static final ArchRule CONTAINERS_ARE_SOMEBODY_ELSES =
            noClasses().should().dependOnClassesThat(resideInAPackage("io.maestro.docker.."));

    @ArchTest
    static final ArchRule INTERNAL_DOES_NOT_LEAK = classes()
            .that()
            .arePublic()
            .and()
            .resideInAnyPackage("io.maestro.claude", "io.maestro.mcp")
            .should(mentionNone(resideInAnyPackage(
                    "io.maestro..internal..", "com.fasterxml..", "com.sun..", "org.slf4j..", "org.zeroturnaround..")));

    @ArchTest
    static final ArchRule WHAT_IS_PUBLIC_IS_NOT_EXTENDED = classes()
            .that()
            .arePublic()
            .and()
            .resideInAnyPackage("io.maestro.claude", "io.maestro.mcp")
            .and()
            .areNotInterfaces()
            .and()
            .areNotAssignableTo(MaestroException.class)
            .should()
            .haveModifier(JavaModifier.FINAL);

    /** The tests run on the class path, so that the descriptor is read from where it was compiled to. */
    @ArchTest
    static void onlyThePublicPackagesAreExportedAndTheModeIsProvided(JavaClasses all) throws IOException {
        JavaClass entrance = all.get(ClaudeCodeMode.class);
        try (InputStream in = entrance.getSource()
                .orElseThrow()
                .getUri()
                .resolve("../../../module-info.class")
                .toURL()
                .openStream()) {
            ModuleDescriptor module = ModuleDescriptor.read(in);
            assertThat(module.exports().stream()
                            .map(ModuleDescriptor.Exports::source)
                            .collect(toSet()))
                    .isEqualTo(Set.of("io.maestro.claude", "io.maestro.mcp"));
            assertThat(module.opens()).isEmpty();
            assertThat(module.isOpen()).isFalse();
            assertThat(module.provides())
                    .singleElement()
                    .returns("io.maestro.agent.spi.AgentFactory", ModuleDescriptor.Provides::service)
                    .returns(List.of(ClaudeCodeMode.class.getName()), ModuleDescriptor.Provides::providers);
        }
    }
}
