package io.maestro;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.maestro.testing.AssertThat.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.maestro.budget.internal.PaidRequest;
import io.maestro.git.GitException;
import io.maestro.git.internal.JGitGlobals;
import io.maestro.git.internal.TreeEntry;
import io.maestro.git.internal.WorkTreeWriter;
import io.maestro.git.internal.WorkspaceProblem;
import io.maestro.llm.LlmClient;
import io.maestro.runtime.ToolRuntime;
import io.maestro.tools.Tool;
import java.net.Socket;
import java.net.URL;
import java.net.URLConnection;
import java.util.Map;
import java.util.stream.Collectors;
import org.eclipse.jgit.api.BlameCommand;
import org.eclipse.jgit.api.LogCommand;
import org.eclipse.jgit.blame.BlameGenerator;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.filter.TreeFilter;

/** The rules of DESIGN that a compiler does not hold. */
@AnalyzeClasses(packages = "io.maestro", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchTests COMMON = ArchTests.in(CommonRules.class);

    /** A call that went past the runtime would be neither checked nor recorded. */
    @ArchTest
    static final ArchRule ONLY_THE_RUNTIME_RUNS_TOOLS = noClasses()
            .that()
            .doNotBelongToAnyOf(ToolRuntime.class)
            .should()
            .accessTargetWhere(DescribedPredicate.describe(
                    "Tool.execute",
                    access -> access.getTargetOwner().isAssignableTo(Tool.class)
                            && access.getName().equals("execute")));

    /** A package and its internal package are one part; between parts there are no cycles. */
    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("io.maestro.(*)..").should().beFreeOfCycles();

    /** The team's packages, each with those that it may know. */
    @ArchTest
    static final ArchRule THE_TEAM_HAS_FLOORS = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.maestro.team.internal..")
            .layer("team")
            .definedBy("io.maestro.team.internal")
            .layer("solo")
            .definedBy("io.maestro.team.internal.agent.solo")
            .layer("spec")
            .definedBy("io.maestro.team.internal.spec")
            .layer("program")
            .definedBy("io.maestro.team.internal.agent.program")
            .layer("coder")
            .definedBy("io.maestro.team.internal.coder")
            .layer("architect")
            .definedBy("io.maestro.team.internal.architect")
            .layer("dispatch")
            .definedBy("io.maestro.team.internal.dispatch")
            .layer("story")
            .definedBy("io.maestro.team.internal.story")
            .layer("loop")
            .definedBy("io.maestro.team.internal.loop")
            .layer("machine")
            .definedBy("io.maestro.team.internal.machine")
            .whereLayer("team")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("solo")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("spec")
            .mayOnlyBeAccessedByLayers("team")
            .whereLayer("program")
            .mayOnlyBeAccessedByLayers("team", "solo")
            .whereLayer("coder")
            .mayOnlyBeAccessedByLayers("team", "program")
            .whereLayer("architect")
            .mayOnlyBeAccessedByLayers("team", "coder", "spec")
            .whereLayer("dispatch")
            .mayOnlyBeAccessedByLayers("team", "spec", "program", "coder", "architect")
            .whereLayer("story")
            .mayOnlyBeAccessedByLayers("team", "spec", "program", "coder", "architect", "dispatch")
            .whereLayer("loop")
            .mayOnlyBeAccessedByLayers("team", "spec", "program", "coder", "architect", "dispatch", "story", "solo")
            .whereLayer("machine")
            .mayOnlyBeAccessedByLayers("team", "solo", "spec", "program", "coder", "architect", "dispatch", "loop");

    /** Tools and the monitor know the team's work; the team knows neither, so that both can be left out. */
    @ArchTest
    static final ArchRule THE_TEAM_KNOWS_NEITHER_TOOLS_NOR_MONITOR = noClasses()
            .that()
            .resideInAPackage("io.maestro.team..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.maestro.builtin..", "io.maestro.monitor.."));

    /** The record keeps names of states; which may follow which is said elsewhere. */
    @ArchTest
    static final ArchRule THE_RECORD_KNOWS_NO_STATE_MACHINE = noClasses()
            .that()
            .resideInAPackage("io.maestro.record..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.maestro.agent..", "io.maestro.team.."));

    /** What keeps a workspace in sync knows files and git objects, and neither a mirror nor a story. */
    @ArchTest
    static final ArchRule SYNC_KNOWS_FILES_ONLY = classes()
            .that()
            .resideInAPackage("io.maestro.git.internal.sync")
            .should()
            .onlyDependOnClassesThat(resideOutsideOfPackage("io.maestro..")
                    .or(resideInAnyPackage(
                            "io.maestro.git.internal.sync", "io.maestro.files.internal", "io.maestro.internal"))
                    .or(belongToAnyOf(
                            GitException.class,
                            JGitGlobals.class,
                            TreeEntry.class,
                            WorkTreeWriter.class,
                            WorkspaceProblem.class)));

    @ArchTest
    static final ArchRule GIT_KNOWS_NOTHING_OF_SYNC = noClasses()
            .that()
            .resideInAnyPackage("io.maestro.git", "io.maestro.git.internal")
            .should()
            .dependOnClassesThat(resideInAPackage("io.maestro.git.internal.sync"));

    /** What reads bytes of others knows nothing of what they mean. */
    @ArchTest
    static final ArchRule THE_WIRE_KNOWS_NOBODY = classes()
            .that()
            .resideInAPackage("io.maestro.wire..")
            .should()
            .onlyDependOnClassesThat(resideOutsideOfPackage("io.maestro..").or(resideInAPackage("io.maestro.wire..")));

    @ArchTest
    static final ArchRule INTERNAL_DOES_NOT_LEAK = methods()
            .that()
            .areDeclaredInClassesThat()
            .arePublic()
            .and()
            .areDeclaredInClassesThat()
            .resideOutsideOfPackages("..internal..", "io.maestro.builtin..")
            .and(new DescribedPredicate<JavaMethod>("are public or protected") {
                @Override
                public boolean test(JavaMethod method) {
                    return method.getModifiers().contains(JavaModifier.PUBLIC)
                            || method.getModifiers().contains(JavaModifier.PROTECTED);
                }
            })
            .should(notMention(resideInAnyPackage(
                    "io.maestro..internal..",
                    "com.fasterxml..",
                    "com.networknt..",
                    "com.samskivert..",
                    "org.eclipse.jgit..",
                    "org.zeroturnaround..",
                    "org.slf4j..")));

    @ArchTest
    static final ArchRule THE_SPI_KNOWS_NOTHING_BUT_ITSELF = classes()
            .that()
            .resideInAnyPackage("io.maestro.tools..", "io.maestro.exec", "io.maestro.error")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.maestro.tools..", "io.maestro.exec", "io.maestro.error", "java..", "org.jspecify..");

    @ArchTest
    static final ArchRule LIBRARIES_STAY_WHERE_THEY_BELONG = noClasses()
            .that()
            .resideOutsideOfPackage("io.maestro.git..")
            .should()
            .dependOnClassesThat(resideInAPackage("org.eclipse.jgit.."));

    /** For these JGit reads the filters of a commit graph with commons-codec, which the pom leaves out. */
    @ArchTest
    static final ArchRule NOBODY_WALKS_THE_HISTORY_OF_A_PATH = noClasses()
            .should()
            .callMethod(RevWalk.class, "setTreeFilter", TreeFilter.class)
            .orShould()
            .dependOnClassesThat(belongToAnyOf(LogCommand.class, BlameCommand.class, BlameGenerator.class));

    /** It is optional: what depends on it does not run without it. */
    @ArchTest
    static final ArchRule ONLY_THE_ADAPTER_KNOWS_LANGCHAIN4J = noClasses()
            .that()
            .resideOutsideOfPackage("io.maestro.llm.langchain4j..")
            .should()
            .dependOnClassesThat(resideInAPackage("dev.langchain4j.."));

    /** It is optional, too. */
    @ArchTest
    static final ArchRule ONLY_TRACING_KNOWS_OPEN_TELEMETRY = noClasses()
            .that()
            .resideOutsideOfPackage("io.maestro.telemetry.otel..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.opentelemetry.."));

    /** It is optional, too. */
    @ArchTest
    static final ArchRule ONLY_THE_CONVERTER_KNOWS_JSOUP = noClasses()
            .that()
            .haveNameNotMatching("io\\.maestro\\.web\\.internal\\.(HtmlMarkdown|LayoutTables)(\\$.*)?")
            .should()
            .dependOnClassesThat(resideInAPackage("org.jsoup.."));

    /** What it has not checked is not reached. */
    @ArchTest
    static final ArchRule ONE_CLASS_CONNECTS_TO_THE_WEB = noClasses()
            .that()
            .resideInAPackage("io.maestro.web..")
            .and()
            .doNotHaveSimpleName("Connector")
            .should()
            .callConstructorWhere(target(owner(assignableTo(Socket.class))))
            .orShould()
            .callMethodWhere(target(owner(assignableTo(Socket.class))).and(target(name("connect"))))
            .orShould()
            .dependOnClassesThat(resideInAPackage("java.net.http.."))
            .orShould()
            .dependOnClassesThat(belongToAnyOf(URL.class, URLConnection.class));
    /** It is optional: only what is loaded when a host names a server depends on it. */
    @ArchTest
    static final ArchRule ONLY_THE_CLIENT_KNOWS_THE_SDK_OF_MCP = noClasses()
            .that()
            .resideOutsideOfPackage("io.maestro.mcpclient.internal..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.modelcontextprotocol..", "reactor..", "org.reactivestreams.."));

    /** Nobody asks a model whose cost was not reserved. A client that passes a request on is asked itself. */
    @ArchTest
    static final ArchRule MODELS_ARE_ASKED_IN_ONE_PLACE = noClasses()
            .that()
            .resideOutsideOfPackage("io.maestro.llm..")
            .and()
            .areNotAssignableTo(PaidRequest.class)
            .and()
            .areNotAssignableTo(LlmClient.class)
            .should()
            .callMethodWhere(target(owner(assignableTo(LlmClient.class))).and(target(name("complete"))));

    /** In some locales digits are not those of ASCII, and names that hold a number are refused. */
    @ArchTest
    static final ArchRule FORMATS_NAME_A_LOCALE =
            noClasses().should().callMethod(String.class, "format", String.class, Object[].class);

    /** Builders share settings by groups of options. */
    @ArchTest
    static final ArchRule BUILDERS_INHERIT_NOTHING = noClasses()
            .that()
            .haveSimpleNameEndingWith("Builder")
            .should(new ArchCondition<>("have a superclass") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    boolean inherits = type.getRawSuperclass()
                            .filter(parent -> !parent.isEquivalentTo(Object.class))
                            .isPresent();
                    events.add(new SimpleConditionEvent(type, inherits, type.getName() + " inherits"));
                }
            });

    /** Apart from builders, and from what the public API names by its outer type. The SPI is a module of its own. */
    @ArchTest
    static void aSimpleNameStandsForOneType(JavaClasses all) {
        Map<String, Long> counts = all.stream()
                .filter(type -> type.isTopLevelClass() || type.isMemberClass())
                .filter(resideOutsideOfPackages("io.maestro.tools..", "io.maestro.exec", "io.maestro.error"))
                .map(JavaClass::getSimpleName)
                .filter(name -> !name.equals("Builder") && !name.endsWith("-info"))
                .collect(Collectors.groupingBy(name -> name, Collectors.counting()));
        counts.values().removeIf(count -> count == 1);
        assertThat(counts.keySet())
                .containsExactlyInAnyOrder("Cost", "Effect", "Kind", "Outcome", "Result", "Status", "Subject");
    }

    private static ArchCondition<JavaMethod> notMention(DescribedPredicate<JavaClass> forbidden) {
        return new ArchCondition<>("not mention types of internal packages or of libraries") {
            @Override
            public void check(JavaMethod method, ConditionEvents events) {
                method.getAllInvolvedRawTypes().stream()
                        .filter(forbidden)
                        .forEach(type -> events.add(SimpleConditionEvent.violated(
                                method, method.getFullName() + " mentions " + type.getName())));
            }
        };
    }
}
