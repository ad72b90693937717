package io.maestro.docker.internal.tools;

import static java.util.Map.entry;

import io.maestro.docker.internal.compose.ComposeTools;
import io.maestro.testkit.contract.ToolContract;
import io.maestro.tools.ToolFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Every tool for containers, by the contract of tools, as far as that goes without an engine; {@link ContainerToolsTest} has one. */
@ParameterizedClass(name = "{0}")
@MethodSource("tools")
class ContainerToolsContractTest extends ToolContract {
    private static final Map<String, String> ARGUMENTS = Map.ofEntries(
            entry(
                    "container_build",
                    "{\"dockerfile\":\"Dockerfile\",\"build_args\":[{\"name\":\"A\",\"value\":\"b\"}]}"),
            entry("container_test", "{\"command\":\"true\",\"seconds\":5}"),
            entry("container_list", "{}"),
            entry("container_switch", "{\"image\":\"sha256:1\"}"),
            entry("container_update", "{\"image\":\"sha256:1\"}"),
            entry("compose_up", "{\"services\":[\"web\"]}"),
            entry("compose_status", "{}"),
            entry("compose_logs", "{\"service\":\"web\",\"lines\":2}"),
            entry("compose_down", "{}"));

    @Parameter
    ToolFactory tested;

    static Stream<Named<ToolFactory>> tools() {
        return Stream.of(ContainerTools.all(Duration.ofMinutes(1), "name"), ComposeTools.all(Duration.ofMinutes(1)))
                .flatMap(tools -> tools.stream())
                .map(tool -> Named.of(tool.definition().name(), tool));
    }

    @Override
    protected ToolFactory factory() {
        return tested;
    }

    @Override
    protected String validArguments() {
        String name = tested.definition().name();
        return Objects.requireNonNull(ARGUMENTS.get(name), () -> "add valid arguments of " + name + " above");
    }

    @Override
    protected boolean announced() {
        return false;
    }

    @Override
    protected boolean available() {
        return false;
    }
}
