package io.maestro.docker;

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
import java.util.Set;

/** The rules of DESIGN that a compiler does not hold. */
@AnalyzeClasses(packages = "io.maestro.docker", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchTests COMMON = ArchTests.in(CommonRules.class);

    /** The parts that are built on containers. The public package is their face, and one part with what is under it. */
    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("io.maestro.docker.internal.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule CONTAINERS_KNOW_NOTHING_OF_WHAT_IS_BUILT_ON_THEM = noClasses()
            .that()
            .resideInAnyPackage("io.maestro.docker.internal", "io.maestro.docker.internal.exec")
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                    "io.maestro.docker.internal.compose..",
                    "io.maestro.docker.internal.environment..",
                    "io.maestro.docker.internal.tools.."));

    @ArchTest
    static final ArchRule NOBODY_BELOW_KNOWS_THE_ENTRANCE = noClasses()
            .that()
            .resideInAPackage("io.maestro.docker.internal..")
            .should()
            .dependOnClassesThat()
            .areAssignableTo(DockerEnvironments.class);

    @ArchTest
    static final ArchRule INTERNAL_DOES_NOT_LEAK = classes()
            .that()
            .arePublic()
            .and()
            .resideInAPackage("io.maestro.docker")
            .should(mentionNone(resideInAnyPackage(
                    "io.maestro..internal..", "com.fasterxml..", "org.yaml..", "org.slf4j..", "org.zeroturnaround..")));

    @ArchTest
    static final ArchRule WHAT_IS_PUBLIC_IS_NOT_EXTENDED = classes()
            .that()
            .arePublic()
            .and()
            .resideInAPackage("io.maestro.docker")
            .and()
            .areNotInterfaces()
            .and()
            .areNotAssignableTo(MaestroException.class)
            .should()
            .haveModifier(JavaModifier.FINAL);

    /** What is read from files of a repository is nobody's business but the reader's. */
    @ArchTest
    static final ArchRule YAML_STAYS_WHERE_IT_BELONGS = noClasses()
            .that()
            .resideOutsideOfPackage("io.maestro.docker.internal.compose")
            .should()
            .dependOnClassesThat(resideInAPackage("org.yaml.."));

    /** The tests run on the class path, so that the descriptor is read from where it was compiled to. */
    @ArchTest
    static void onlyThePublicPackageIsExported(JavaClasses all) throws IOException {
        JavaClass entrance = all.get(DockerEnvironments.class);
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
                    .isEqualTo(Set.of("io.maestro.docker"));
            assertThat(module.opens()).isEmpty();
            assertThat(module.isOpen()).isFalse();
        }
    }
}
