package io.maestro.docker.internal.sandbox.tool;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.docker.ContainerRequest;
import io.maestro.docker.ContainerRules;
import io.maestro.tools.ToolArguments;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestReaderTest {
    private static ContainerRequest request(List<String> patterns, String name, Object value) {
        ContainerRules rules = ContainerRules.builder().passPatterns(patterns).build();
        return new RequestReader(rules, new ToolAccess(List.of(), Set.of(), image -> image))
                .of(ToolArguments.of(Map.of(name, value)));
    }

    @ParameterizedTest
    @CsvSource({"forward_gh, GH_TOKEN", "env_passthrough, GH_TOKEN", "env_passthrough, X_TOKEN"})
    void whatTheHostDoesNotHandOverIsRefusedByName(String argument, String variable) {
        Object value = argument.equals("forward_gh") ? Boolean.TRUE : List.of(variable);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> request(List.of("*_API_KEY"), argument, value))
                .withMessageContaining("the variable '" + variable + "' is not handed over here")
                .withMessageContaining("[*_API_KEY]");
        assertThat(request(List.of("*_TOKEN"), argument, value)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({"forward_ssh, true", "env_passthrough, all"})
    void whatNeedsAGrantIsRefusedWithoutIt(String argument, String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        request(List.of("*"), argument, value.equals("true") ? (Object) Boolean.TRUE : (Object) value))
                .withMessageContaining("not allowed here");
    }

    @Test
    void whoeverWantsNoTokenMaySaySo() {
        assertThat(request(List.of(), "forward_gh", false).gitHub()).contains(false);
    }
}
