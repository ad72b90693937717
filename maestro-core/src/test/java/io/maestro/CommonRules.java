package io.maestro;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static io.maestro.testing.AssertThat.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.maestro.error.MaestroException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** The rules that every module keeps. */
public final class CommonRules {
    private CommonRules() {}

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

    /** Holds for types whose public and protected members show none of these. */
    public static ArchCondition<JavaClass> mentionNone(DescribedPredicate<JavaClass> forbidden) {
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
