package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.Inspector.ObjectKind;
import io.maestro.testing.Full;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every setting of a container, asked of the container. */
class RunArgumentsTest {
    private static final EngineFacts DOCKER =
            new EngineFacts("1", false, false, 2, "2", false, Optional.empty(), 0, List.of(), List.of());

    /** What is looked at: the engine's description, or what a shell in the container prints. */
    private record Looked(JsonNode object, TestEngine test, Container container) {
        JsonNode at(String path) {
            return object.at(path);
        }

        String shell(String line) {
            return test.engine
                    .cli()
                    .run("exec", container.id(), "sh", "-c", line)
                    .stdout()
                    .text();
        }
    }

    @FunctionalInterface
    private interface Check {
        void look(Looked looked);
    }

    private static Map<String, Check> checks(TestEngine test, ContainerSpec spec, Path comma) {
        Map<String, Check> checks = new LinkedHashMap<>();
        checks.put(
                "image",
                it -> assertThat(Inspector.imageId(it.at("/Image").asText()))
                        .isEqualTo(test.engine.image(spec.image()).orElseThrow().id()));
        checks.put("role", it -> assertThat(labels(it)).containsEntry(Labels.ROLE, "all-of-it"));
        checks.put(
                "labels",
                it -> assertThat(labels(it))
                        .containsEntry("org.example/a", "b=c, \"d\" $E")
                        .containsEntry(Labels.AGENT, "coder-7")
                        // Not what the description said.
                        .containsEntry(Labels.INSTANCE, test.engine.instance().id())
                        .containsEntry(Labels.SESSION, test.engine.instance().sessionId())
                        .containsEntry(
                                Labels.PROJECT, test.engine.instance().project().toString()));
        checks.put("mounts", it -> {
            assertThat(it.shell("cat /with,comma/file; cat /volume/v 2>/dev/null; echo x > /volume/v && cat /volume/v"))
                    .isEqualTo("here\nx\n");
            assertThat(it.shell("echo no > /with,comma/file || echo refused")).isEqualTo("refused\n");
            assertThat(comma.resolve("file")).hasContent("here");
        });
        checks.put(
                "tmpfs",
                it -> assertThat(it.shell("grep ' /mem ' /proc/mounts"))
                        .contains("tmpfs")
                        .contains("size=10240k")
                        .contains("nosuid"));
        checks.put("limits", it -> {
            assertThat(it.at("/HostConfig/NanoCpus").asLong()).isEqualTo(750_000_000);
            assertThat(it.at("/HostConfig/Memory").asLong()).isEqualTo(100 << 20);
            assertThat(it.at("/HostConfig/MemorySwap").asLong()).isEqualTo(100 << 20);
            assertThat(it.at("/HostConfig/PidsLimit").asInt()).isEqualTo(77);
        });
        checks.put(
                "network",
                it -> assertThat(it.at("/NetworkSettings/Networks").properties())
                        .extracting(Map.Entry::getKey)
                        .containsExactly(spec.network()));
        checks.put(
                "environment",
                it -> assertThat(it.shell("printf '%s|%s|%s|%s' \"$PLAIN\" \"$HARD\" \"$EMPTY\" \"$UMLAUT\""))
                        .isEqualTo("b|  a 'b' \"c\" $HOME \\n #=d |" + "|äöü"));
        checks.put("user", it -> assertThat(it.shell("id -u; id -g")).isEqualTo("1234\n567\n"));
        checks.put("workingDirectory", it -> assertThat(it.shell("pwd")).isEqualTo("/bin\n"));
        checks.put(
                "readOnlyRoot",
                it -> assertThat(it.shell("grep ' / ' /proc/mounts | tail -1")).containsPattern(" ro[, ]"));
        checks.put(
                "addedHosts",
                it -> assertThat(it.shell("grep example /etc/hosts")).contains("10.9.8.7"));
        checks.put("ports", it -> {
            assertThat(it.at("/HostConfig/PortBindings")).hasSize(1);
            assertThat(it.at("/HostConfig/PortBindings/8080~1tcp/0/HostIp").asText())
                    .isEqualTo("127.0.0.1");
        });
        checks.put("command", it -> {
            assertThat(it.shell("tr '\\0' ' ' < /proc/1/cmdline")).endsWith("-- sh -c cat; sleep 1000 a b   ");
        });
        return checks;
    }

    private static Map<String, String> labels(Looked looked) {
        return Json.texts(looked.at("/Config/Labels"));
    }

    @ParameterizedTest
    @EnumSource
    @Full("limitsNetworkUserRootAndTmpfsFromTheConfiguration and ProvisioningTest have the effects")
    void everySettingHasItsEffect(TestEngine.EngineKind kind) throws Exception {
        try (TestEngine test = kind.open()) {
            Path comma = test.directory("with,comma and blank");
            Files.writeString(comma.resolve("file"), "here\n");
            Volume volume = test.engine.createVolume("coder-7", "data", Map.of());
            Container setUp = test.engine.start(
                    "coder-7",
                    ContainerSpec.builder(kind.busybox(), "set-up")
                            .mount(Mount.volume(volume.name(), "/volume"))
                            .build());
            assertThat(test.engine
                            .cli()
                            .run("exec", setUp.id(), "chmod", "777", "/volume")
                            .succeeded())
                    .isTrue();
            Network network = test.engine.createNetwork("coder-7", "net", Map.of());
            ContainerSpec spec = ContainerSpec.builder(kind.busybox(), "all-of-it")
                    .label("org.example/a", "b=c, \"d\" $E")
                    .label(Labels.INSTANCE, "somebody-else")
                    .mount(Mount.bind(comma, "/with,comma").asReadOnly())
                    .mount(Mount.volume(volume.name(), "/volume"))
                    .tmpfs("/mem", "size=10m,nosuid")
                    .limits(new ContainerLimits(0.75, 100 << 20, 77))
                    .network(network.name())
                    .environment("PLAIN", "b")
                    .environment("HARD", "  a 'b' \"c\" $HOME \\n #=d ")
                    .environment("EMPTY", "")
                    .environment("UMLAUT", "äöü")
                    .user("1234:567")
                    .workingDirectory("/bin")
                    .readOnlyRoot(true)
                    .addHost("example.org", "10.9.8.7")
                    .publish(8080)
                    .command(List.of("sh", "-c", "cat; sleep 1000", "a", "b ", ""))
                    .build();
            Container container = test.engine.start("coder-7", spec);
            JsonNode object = test.engine
                    .inspector()
                    .find(ObjectKind.CONTAINER, container.id())
                    .orElseThrow();
            Looked looked = new Looked(object, test, container);
            checks(test, spec, comma).forEach((name, check) -> check.look(looked));
            always(looked);
        }
    }

    /** What no description can change. */
    private static void always(Looked looked) {
        assertThat(looked.shell("grep -E 'Cap(Eff|Prm|Bnd)|NoNewPrivs' /proc/1/status | tr -d '\\t\\n'"))
                .isEqualTo("CapPrm:" + "0".repeat(16) + "CapEff:" + "0".repeat(16) + "CapBnd:" + "0".repeat(16)
                        + "NoNewPrivs:1");
        assertThat(looked.at("/HostConfig/Privileged").asBoolean()).isFalse();
        assertThat(looked.at("/HostConfig/PidMode").asText()).isNotEqualTo("host");
        assertThat(looked.at("/HostConfig/IpcMode").asText()).isNotEqualTo("host");
        assertThat(looked.at("/HostConfig/NetworkMode").asText()).isNotEqualTo("host");
        assertThat(looked.at("/HostConfig/LogConfig").toString()).containsIgnoringCase("10m");
        assertThat(looked.at("/Config/Hostname").asText()).isEqualTo("coder-7-all-of-it");
        assertThat(looked.at("/Config/StopTimeout").asInt()).isEqualTo(2);
        String init = looked.shell("tr '\\0' ' ' < /proc/1/cmdline");
        assertThat(init).containsPattern("^/(sbin/docker-init|run/podman-init|dev/init) ");
    }

    /** A setting that somebody adds needs a check, so that none is declared and never read. */
    @Test
    void noSettingIsWithoutACheck() {
        List<String> settings = Arrays.stream(ContainerSpec.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers()))
                .filter(method -> method.getParameterCount() == 0)
                .map(Method::getName)
                .filter(name -> !List.of("toBuilder", "toString", "hashCode").contains(name))
                .toList();
        try (TestEngine test = TestEngine.EngineKind.DOCKER.open()) {
            ContainerSpec spec = ContainerSpec.builder("x", "y").build();
            assertThat(checks(test, spec, Path.of("/")).keySet()).containsExactlyInAnyOrderElementsOf(settings);
        }
    }

    @Test
    void theEnvironmentIsNotAmongTheArguments() {
        ContainerSpec spec =
                ContainerSpec.builder("x", "y").environment("NAME", "planted").build();
        RunArguments arguments = new RunArguments(spec, DOCKER, null);
        Instance instance = new Instance(Instance.newId(), "s", Path.of("/p"));
        assertThat(String.join(" ", arguments.words(instance, "a", "n", "i"))).doesNotContain("planted", "NAME");
        assertThat(arguments.environment()).asString().isEqualTo("NAME=planted\n");
    }

    @Test
    void whatTheImageSaysIsSetToNothingOrRefusedAndWhatTheDescriptionSaysIsNot() throws Exception {
        Image.Inherited inherited = Image.Inherited.of(new ObjectMapper().readTree("""
                {"Id": "sha256:id", "Config": {
                  "Labels": {"com.docker.compose.project": "users", "a/b": "1", "io.maestro.role": "x"},
                  "Env": ["PATH=/bin", "MAESTRO_EXEC_ID=jvm1", "MAESTRO_OWN=b", "mx_now=1", "BASH_FUNC_tr%%=() { :; }",
                    "SHELLOPTS=noexec"]}}"""));
        ContainerSpec spec =
                ContainerSpec.builder("x", "y").environment("MAESTRO_OWN", "a").build();
        RunArguments arguments = new RunArguments(spec, DOCKER, null, null, Container.Grants.NONE, inherited);
        assertThat(arguments.words(new Instance(Instance.newId(), "s", Path.of("/p")), "a", "n", "i"))
                .contains("com.docker.compose.project=", "a/b=", "io.maestro.role=y")
                .doesNotContain("io.maestro.role=");
        assertThat(arguments.environment())
                .asString()
                .isEqualTo("BASH_FUNC_tr%%=\nMAESTRO_EXEC_ID=\nMAESTRO_OWN=a\nSHELLOPTS=\nmx_now=\n");
        for (String labels : List.of(
                "\"a=b\": \"\"",
                "\"a b\": \"\"",
                "\"a\\nb\": \"\"",
                "\"" + "a".repeat(30_000) + "\": \"\", \"" + "b".repeat(30_000) + "\": \"\"")) {
            JsonNode image = new ObjectMapper().readTree("{\"Config\": {\"Labels\": {" + labels + "}}}");
            assertThatThrownBy(() -> Image.Inherited.of(image)).hasMessageContaining("cannot be kept from a container");
        }
        for (String volume : List.of("/workspace/x/../src", "workspace/src", "//workspace//src/")) {
            JsonNode image = new ObjectMapper().readTree("{\"Config\": {\"Volumes\": {\"" + volume + "\": {}}}}");
            assertThatThrownBy(() -> Image.Inherited.of(image))
                    .hasMessageContaining("would hide files of the workspace");
        }
    }

    @Test
    void processorsThatAreNotThereAreNotAskedFor() {
        Map<Double, String> asked = new LinkedHashMap<>();
        for (double cpus : new double[] {0.01, 0.5, 1.999, 2, 64}) {
            ContainerSpec spec = ContainerSpec.builder("x", "y")
                    .limits(new ContainerLimits(cpus, 64 << 20, 5))
                    .build();
            List<String> words = new RunArguments(spec, DOCKER, null)
                    .words(new Instance(Instance.newId(), "s", Path.of("/p")), "a", "n", "i");
            asked.put(cpus, words.get(words.indexOf("--cpus") + 1));
        }
        assertThat(asked).isEqualTo(Map.of(0.01, "0.01", 0.5, "0.50", 1.999, "2.00", 2.0, "2.00", 64.0, "2.00"));
    }

    @Test
    void whatIsGrantedIsToldAndNothingElse() {
        ContainerSpec spec =
                ContainerSpec.builder("image", "box").network("net").build();
        Container.Grants all =
                new Container.Grants(true, false, false, true, Map.of(80, 0, 81, 8081), true, "db", false);
        String told = words(spec, DOCKER, all);
        assertThat(told)
                .contains("--hostname db --network net --network-alias db")
                .contains("--publish 127.0.0.1::80", "--publish 127.0.0.1:8081:81")
                .contains("--cap-drop ALL --cap-add CHOWN", "--security-opt no-new-privileges", "--gpus all")
                .endsWith("-- sha256:id")
                .doesNotContain("--entrypoint", "--privileged");
        assertThat(words(spec, DOCKER, new Container.Grants(true, true, true, false, Map.of(), false, "db", false)))
                .contains("--privileged", "--network host")
                .doesNotContain("--cap-drop", "--hostname");
        assertThat(words(spec, DOCKER, Container.Grants.NONE))
                .contains("--cap-drop ALL --pull")
                .doesNotContain("--cap-add", "--privileged", "--gpus", "--publish", "--network-alias");
        EngineFacts podman =
                new EngineFacts("1", true, false, 2, "2", false, Optional.empty(), 0, List.of(), List.of());
        assertThat(words(spec, podman, all))
                .contains("--device nvidia.com/gpu=all")
                .doesNotContain("--gpus");
    }

    private static String words(ContainerSpec spec, EngineFacts facts, Container.Grants grants) {
        return String.join(
                " ",
                new RunArguments(spec, facts, null, null, grants, Image.Inherited.NOTHING)
                        .words(new Instance("0123456789abcdef", "1", Path.of("/p")), "a", "name", "sha256:id"));
    }
}
