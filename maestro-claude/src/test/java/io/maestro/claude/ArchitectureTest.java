package io.maestro.claude;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.maestro.error.MaestroException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** The rules of DESIGN that a compiler does not hold. */
@AnalyzeClasses(
        packages = {"io.maestro.claude", "io.maestro.mcp"},
        importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
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

    /** Containers are seen as executors and outfits: core's types. */
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

    @ArchTest
    static final ArchRule EXCEPTIONS_HAVE_ONE_ROOT = classes()
            .that()
            .areAssignableTo(RuntimeException.class)
            .and()
            .resideOutsideOfPackage("io.maestro..internal..")
            .should()
            .beAssignableTo(MaestroException.class);

    @ArchTest
    static final ArchRule PACKAGES_SAY_WHAT_MAY_BE_NULL = classes()
            .that()
            .areTopLevelClasses()
            .and()
            .haveNameNotMatching(".*(package|module)-info")
            .should(new ArchCondition<>("be in a @NullMarked package") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    if (!type.getPackage().isAnnotatedWith(NullMarked.class)) {
                        events.add(SimpleConditionEvent.violated(type, type.getName() + " is not"));
                    }
                }
            });

    /** Those who wait for a process or a connection while they hold a monitor pin a virtual thread. */
    @ArchTest
    static final ArchRule NO_METHOD_IS_SYNCHRONIZED = noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED);

    /** A block leaves nothing in the model of the classes, so that the sources are asked. */
    @ArchTest
    static void noBlockIsSynchronized(JavaClasses all) throws IOException {
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            List<Path> files =
                    sources.filter(path -> path.toString().endsWith(".java")).toList();
            assertThat(files)
                    .isNotEmpty()
                    .allSatisfy(
                            file -> assertThat(Files.readString(file)).doesNotContainPattern("\\bsynchronized\\s*\\("));
        }
    }

    @ArchTest
    static final ArchRule ONE_LOGGING_API =
            noClasses().should().dependOnClassesThat(resideInAnyPackage("java.util.logging..", "org.apache.."));

    @ArchTest
    static final ArchRule NOBODY_ENDS_THE_JVM = noClasses()
            .should()
            .callMethod(System.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "halt", int.class);

    @ArchTest
    static final ArchRule NOBODY_PRINTS = noClasses()
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .orShould()
            .callMethod(Throwable.class, "printStackTrace")
            .orShould()
            .callMethod(Throwable.class, "printStackTrace", PrintStream.class);

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
                    .returns("io.maestro.coder.CoderModeFactory", ModuleDescriptor.Provides::service)
                    .returns(List.of(ClaudeCodeMode.class.getName()), ModuleDescriptor.Provides::providers);
        }
    }

    private static ArchCondition<JavaClass> mentionNone(DescribedPredicate<JavaClass> forbidden) {
        return new ArchCondition<>("not mention types of internal packages or of libraries") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                type.getCodeUnits().stream()
                        .filter(unit -> isSeen(unit.getModifiers()))
                        .forEach(unit -> involved(unit)
                                .forEach(found -> events.add(SimpleConditionEvent.violated(
                                        unit, unit.getFullName() + " mentions " + found.getName()))));
                type.getFields().stream()
                        .filter(field -> isSeen(field.getModifiers()))
                        .forEach(field -> involved(field)
                                .forEach(found -> events.add(SimpleConditionEvent.violated(
                                        field, field.getFullName() + " mentions " + found.getName()))));
                Stream.concat(type.getRawSuperclass().stream(), type.getRawInterfaces().stream())
                        .filter(forbidden)
                        .forEach(found -> events.add(
                                SimpleConditionEvent.violated(type, type.getName() + " is a " + found.getName())));
            }

            private Stream<JavaClass> involved(JavaCodeUnit unit) {
                return unit.getAllInvolvedRawTypes().stream().filter(forbidden);
            }

            private Stream<JavaClass> involved(JavaField field) {
                return field.getAllInvolvedRawTypes().stream().filter(forbidden);
            }
        };
    }

    private static boolean isSeen(Set<JavaModifier> modifiers) {
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }
}
