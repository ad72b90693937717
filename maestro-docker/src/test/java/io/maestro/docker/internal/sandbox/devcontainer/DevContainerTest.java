package io.maestro.docker.internal.sandbox.devcontainer;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Command;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.DockerfileBuild;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Feature;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Refusal;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Stage;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Workspace;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DevContainerTest {
    private static final Workspace WORKSPACE = new Workspace("my-shop", "/workspace/shop");
    private static final String FOLDER_LOCATION = ".devcontainer/devcontainer.json";

    /** Of a text in which ' stands for ". */
    private static DevContainer read(String text) {
        return DevContainer.read(FOLDER_LOCATION, text.replace('\'', '"'), WORKSPACE);
    }

    private static Refusal refusal(String text) {
        assertThat(read(text).refused()).as(text).hasSize(1);
        return read(text).refused().get(0);
    }

    @Test
    void readsAWholeFile() {
        DevContainer file = read("""
                // A comment, and commas at the end.
                {
                  '$schema': 'https://example.org', 'name': 'Shop', /* for editors */
                  'build': {'dockerfile': 'Dockerfile', 'context': '..', 'args': {'V': '3', 'W': '${localEnv:W:4}'}, 'target': 'dev'},
                  'features': {'./tools': {'with-x': true, '1st': 'a'}, './late/': 'latest'},
                  'containerEnv': {'A': '${containerWorkspaceFolder}/a', 'B': ''},
                  'remoteEnv': {'PATH': '${containerEnv:PATH}:/opt', 'C': 'c\\nd'},
                  'containerUser': 'root', 'remoteUser': 'dev:dev',
                  'workspaceFolder': '/workspaces/${localWorkspaceFolderBasename}/',
                  'forwardPorts': [3000, 80, 3000],
                  'postStartCommand': 'echo ${HOME:-x} $1',
                  'postCreateCommand': {'db': ['mysql', '-u', 'it'], 'web': 'npm ci'},
                  'onCreateCommand': ['ls', '${containerWorkspaceFolderBasename}', ''],
                  'customizations': {'vscode': {'extensions': ['x']}},
                  'overrideCommand': true, 'privileged': false, 'mounts': [], 'initializeCommand': '', 'runArgs': null,
                }
                """);
        assertThat(file.refused()).isEmpty();
        assertThat(file.image()).isEmpty();
        assertThat(file.build())
                .contains(new DockerfileBuild(
                        ".devcontainer/Dockerfile", ".", Map.of("V", "3", "W", "4"), Optional.of("dev")));
        assertThat(file.features())
                .containsExactly(
                        new Feature(".devcontainer/tools", Map.of("with-x", "true", "1st", "a")),
                        new Feature(".devcontainer/late", Map.of("version", "latest")));
        assertThat(file.features().get(0).environment()).containsExactly(entry("WITH_X", "true"), entry("_ST", "a"));
        assertThat(file.containerEnv()).containsExactly(entry("A", "/workspaces/my-shop/a"), entry("B", ""));
        assertThat(file.remoteEnv()).containsExactly(entry("PATH", "${containerEnv:PATH}:/opt"), entry("C", "c\nd"));
        assertThat(file.containerUser()).contains("root");
        assertThat(file.remoteUser()).contains("dev:dev");
        assertThat(file.workspaceFolder()).isEqualTo("/workspaces/my-shop");
        assertThat(file.forwardPorts()).containsExactly(3000, 80);
        assertThat(file.commands())
                .containsExactly(
                        new Command(Stage.ON_CREATE, "", List.of("ls", "my-shop", "")),
                        new Command(Stage.POST_CREATE, "db", List.of("mysql", "-u", "it")),
                        new Command(Stage.POST_CREATE, "web", List.of("/bin/sh", "-c", "npm ci")),
                        new Command(Stage.POST_START, "", List.of("/bin/sh", "-c", "echo ${HOME:-x} $1")));
    }

    @Test
    void anEmptyObjectAsksForNothing() {
        DevContainer file = read("{}");
        assertThat(file)
                .isEqualTo(new DevContainer(
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        Map.of(),
                        Map.of(),
                        Optional.empty(),
                        Optional.empty(),
                        "/workspace/shop",
                        List.of(),
                        List.of(),
                        List.of()));
        assertThatThrownBy(() -> file.commands().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> file.remoteEnv().put("a", "b")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> file.refused().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    static Stream<Arguments> refusals() {
        String host = "asks for a variable of the host";
        return Stream.of(
                arguments("'initializeCommand': 'id'", "initializeCommand", "would run on the host"),
                arguments("'initializeCommand': {'a': ['id']}", "initializeCommand", "would run on the host"),
                arguments("'mounts': ['source=/,target=/x,type=bind']", "mounts", "outside of the sandbox"),
                arguments("'mounts': [{'type': 'volume', 'target': '/x'}]", "mounts", "outside of the sandbox"),
                arguments("'workspaceMount': 'source=/,target=/x'", "workspaceMount", "a directory of the host"),
                arguments("'privileged': true", "privileged", "rights on the machine"),
                arguments("'privileged': 'true'", "privileged", "rights on the machine"),
                arguments("'capAdd': ['SYS_ADMIN']", "capAdd", "rights on the machine"),
                arguments("'securityOpt': ['seccomp=unconfined']", "securityOpt", "rights on the machine"),
                arguments("'runArgs': ['--net=host']", "runArgs", "the engine's own options"),
                arguments("'dockerComposeFile': 'c.yml'", "dockerComposeFile", "as compose_file"),
                arguments("'service': 'web'", "service", "as compose_file"),
                arguments("'runServices': ['web']", "runServices", "as compose_file"),
                arguments("'appPort': 80", "appPort", "forwardPorts"),
                arguments("'postAttachCommand': 'id'", "postAttachCommand", "postStartCommand"),
                arguments("'hostRequirements': {'gpu': true}", "hostRequirements", "limits"),
                arguments("'overrideFeatureInstallOrder': ['a']", "overrideFeatureInstallOrder", "in the order"),
                arguments("'secrets': {'A': {}}", "secrets", "no secret"),
                arguments("'overrideCommand': false", "overrideCommand", "keeps it alive"),
                arguments("'a\\nb': 1", "a?b", "is not known"),
                arguments("'features': {'ghcr.io/a/b:1': {}}", "features.ghcr.io/a/b:1", "not in the repository"),
                arguments("'features': {'../x': {}}", "features.../x", "not in the repository"),
                arguments("'features': {'/x': {}}", "features./x", "not in the repository"),
                arguments("'features': {'./a/../../..': {}}", "features../a/../../..", "leads out of the repository"),
                arguments("'features': {'./.': {}}", "features../.", "no directory of its own"),
                arguments("'features': {'./..': {}}", "features../..", "no directory of its own"),
                arguments("'features': {'./x': {' ': 'a'}}", "features../x. ", "not the name of an option"),
                arguments(
                        "'features': {'./x': true}", "features../x", "must be an object or a string, and is a boolean"),
                arguments("'features': {'./x': {'a': 1}}", "features../x.a", "and is a number"),
                arguments("'features': []", "features", "must be an object, and is an array"),
                arguments("'containerEnv': {'A': '${localEnv:A}'}", "containerEnv.A", host),
                arguments("'remoteEnv': {'A': 'x${env:A}'}", "remoteEnv.A", host),
                arguments("'remoteEnv': {'A': null}", "remoteEnv.A", "must be a string, and is null"),
                arguments("'remoteEnv': {'A': '${containerEnv}'}", "remoteEnv.A", "with a name"),
                arguments(
                        "'containerEnv': {'A': '${containerEnv:A}'}", "containerEnv.A", "in values of remoteEnv only"),
                arguments("'containerEnv': {'A': '${localWorkspaceFolder}'}", "containerEnv.A", "a path of the host"),
                arguments("'containerEnv': {'A': '${devcontainerId}'}", "containerEnv.A", "devcontainerId"),
                arguments("'containerEnv': {'A': 1}", "containerEnv.A", "must be a string, and is a number"),
                arguments("'containerEnv': {'A=B': ''}", "containerEnv.A=B", "not the name of a variable"),
                arguments("'containerEnv': {'A': 'a\\nb'}", "containerEnv.A", "line break"),
                arguments("'remoteEnv': {'A': 'a\\u0000b'}", "remoteEnv.A", "NUL"),
                arguments("'remoteEnv': {'A': 'a\\ud800b'}", "remoteEnv.A", "half of a character"),
                arguments("'onCreateCommand': 'echo ${localEnv:TOKEN}'", "onCreateCommand", host),
                arguments("'onCreateCommand': ['a', 1]", "onCreateCommand[1]", "must be a string, and is a number"),
                arguments("'onCreateCommand': {'a': {'b': 'c'}}", "onCreateCommand.a", "and is an object"),
                arguments("'onCreateCommand': 7", "onCreateCommand", "and is a number"),
                arguments("'onCreateCommand': ['', 'a']", "onCreateCommand", "names no program"),
                arguments("'image': 7", "image", "must be a string, and is a number"),
                arguments("'image': '--privileged'", "image", "not the name of an image"),
                arguments("'image': 'a:${localEnv:V}'", "image", host),
                arguments("'containerUser': '--privileged'", "containerUser", "no user or user:group"),
                arguments("'remoteUser': 0", "remoteUser", "is a number"),
                arguments("'workspaceFolder': '../x'", "workspaceFolder", "no absolute, normalised path"),
                arguments("'workspaceFolder': '/a/../etc'", "workspaceFolder", "no absolute, normalised path"),
                arguments("'workspaceFolder': '/'", "workspaceFolder", "no absolute, normalised path"),
                arguments("'workspaceFolder': '/proc/self'", "workspaceFolder", "no absolute, normalised path"),
                arguments("'workspaceFolder': '/a,b:c'", "workspaceFolder", "no absolute, normalised path"),
                arguments("'forwardPorts': ['db:80']", "forwardPorts[0]", "must be a number, and is a string"),
                arguments("'forwardPorts': [1.5]", "forwardPorts[0]", "must be a number"),
                arguments("'forwardPorts': [0]", "forwardPorts[0]", "is no port"),
                arguments("'forwardPorts': [65536]", "forwardPorts[0]", "is no port"),
                arguments("'forwardPorts': [99999999999999999999]", "forwardPorts[0]", "is no port"),
                arguments("'forwardPorts': 80", "forwardPorts", "must be an array, and is a number"),
                arguments("'build': 'x'", "build", "must be an object, and is a string"),
                arguments("'build': {'context': '.'}", "build", "names no dockerfile"),
                arguments("'context': '.'", "context", "names no dockerfile"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void isRefusedByNameAndNotFollowed(String member, String name, String reason) {
        Refusal refusal = refusal("{" + member + "}");
        assertThat(refusal.member()).isEqualTo(name);
        assertThat(refusal.reason()).contains(reason);
        DevContainer file = read("{" + member + "}");
        assertThat(file.workspaceFolder()).isEqualTo("/workspace/shop");
        assertThat(file.image()).isEmpty();
        assertThat(file.build()).isEmpty();
        assertThat(file.containerUser()).isEmpty();
        assertThat(file.remoteUser()).isEmpty();
        assertThat(file.containerEnv()).isEmpty();
        assertThat(file.remoteEnv()).isEmpty();
        assertThat(file.forwardPorts()).isEmpty();
        assertThat(file.commands()).isEmpty();
        assertThat(file.features())
                .allSatisfy(feature -> assertThat(feature.options()).isEmpty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "${localEnv:X:http://h:80/}|http://h:80/",
                "a${localEnv:X:}b|ab",
                "${localWorkspaceFolderBasename}${containerWorkspaceFolderBasename}|my-shopshop",
                "${UNKNOWN} ${a:b} $X ${|${UNKNOWN} ${a:b} $X ${",
                "${containerWorkspaceFolder}}|/workspace/shop}",
                "${${containerWorkspaceFolder}|${${containerWorkspaceFolder}"
            })
    void replacesVariables(String text, String value) {
        assertThat(read("{'containerEnv': {'A': '" + text + "'}}").containerEnv())
                .containsEntry("A", value);
    }

    @Test
    void variablesOfTheContainerAreReplacedLast() {
        DevContainer file =
                read("{'remoteEnv': {'A': '${containerEnv:P}:${containerEnv:NONE:d:e}${containerEnv:NONE}$P',"
                        + " 'B': '${localEnv:X:${containerEnv:P}}'}}");
        assertThat(file.remoteEnvIn(Map.of("P", "/bin:${containerEnv:P}")))
                .containsExactly(entry("A", "/bin:${containerEnv:P}:d:e$P"), entry("B", "/bin:${containerEnv:P}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "// nothing",
                "[]",
                "'x'",
                "null",
                "7",
                "{",
                "{'a': 1} {}",
                "{'a': 1, 'a': 2}",
                "{'a' 1}",
                "{'a': 1,,}",
                "{'a': 01}",
                "{'a': \u0000}",
                "{'a': 'b\nc'}",
                "{# no comment\n}",
                "{a: 1}",
                "/* {"
            })
    void whatIsNoSuchJsonIsNotRead(String text) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the file ")
                .message()
                .hasSizeLessThan(400)
                .doesNotContainPattern("\\p{Cntrl}");
    }

    private static String many(int number, String format) {
        return IntStream.range(0, number).mapToObj(format::formatted).collect(Collectors.joining(","));
    }

    @Test
    void hasLimits() {
        String filler = " ".repeat(256 * 1024 - 2);
        assertThat(read("{" + filler + "}").refused()).isEmpty();
        assertThatThrownBy(() -> read("{" + filler + " }")).hasMessageContaining("262145 characters");
        assertThat(read("{" + many(100, "'a%d': 1") + "}").refused()).hasSize(100);
        assertThatThrownBy(() -> read("{" + many(101, "'a%d': 1") + "}")).hasMessageContaining("101 members");
        assertThat(read("{'x': " + "[".repeat(19) + "]".repeat(19) + "}").refused())
                .hasSize(1);
        assertThatThrownBy(() -> read("{'x': " + "[".repeat(20) + "]".repeat(20) + "}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("depth");
        assertThat(read("{'containerEnv': {'A': '" + "x".repeat(16_000) + "'}}").containerEnv())
                .hasSize(1);
        assertThat(refusal("{'containerEnv': {'A': '" + "x".repeat(16_001) + "'}}")
                        .reason())
                .contains("16000");
        assertThat(refusal("{'" + "n".repeat(9_000) + "': 1}").member()).hasSize(201);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "containerEnv|{@}|'A%d': 'b'",
                "remoteEnv|{@}|'A%d': 'b'",
                "features|{@}|'./a%d': {}",
                "onCreateCommand|{@}|'a%d': 'b'",
                "onCreateCommand|[@]|'a%d'",
                "forwardPorts|[@]|1%d"
            })
    void listsHaveAtMostAHundredEntries(String member, String list, String entry) {
        assertThat(read("{'" + member + "': " + list.replace("@", many(100, entry)) + "}")
                        .refused())
                .isEmpty();
        Refusal refusal = refusal("{'" + member + "': " + list.replace("@", many(101, entry)) + "}");
        assertThat(refusal).isEqualTo(new Refusal(member, "has 101 entries; at most 100 are taken"));
    }

    @Test
    void whatIsRefusedIsCounted() {
        String env = "{" + many(100, "'A%d': 1") + "}";
        assertThat(read("{'containerEnv': " + env + ", 'remoteEnv': " + env + "}")
                        .refused())
                .hasSize(100)
                .endsWith(new Refusal("…", "101 more are refused and not listed"));
    }

    /** Each variable that does not end looks for its end. */
    @Test
    @Timeout(20)
    void variablesThatDoNotEndAreReadSoon() {
        String text = "{'remoteEnv': {'A': '" + "${".repeat(130_000) + "'}}";
        assertThat(refusal(text).reason()).contains("16000");
    }

    @ParameterizedTest
    @CsvSource({"'', /a", "a/b, /a", "a, a", "a, /", "a, /a/", "a, /a/../b", "a, /dev/x", "a, '/a b'"})
    void aWorkspaceIsADirectoryOfAContainer(String repository, String folder) {
        assertThatThrownBy(() -> new Workspace(repository, folder)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theFileIsOneOfTwo() {
        assertThat(DevContainer.LOCATIONS).containsExactly(FOLDER_LOCATION, ".devcontainer.json");
        assertThatThrownBy(() -> DevContainer.read("../devcontainer.json", "{}", WORKSPACE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'../devcontainer.json'");
    }
}
