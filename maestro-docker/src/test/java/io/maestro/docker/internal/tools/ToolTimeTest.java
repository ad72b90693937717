package io.maestro.docker.internal.tools;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.internal.compose.ComposeTools;
import io.maestro.tools.ToolFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a call may take is the host's to say: no tool keeps a model from asking for it. */
class ToolTimeTest {
    @Test
    void everyTimeThatAModelCanAskForMayBeADayAndIsSaidToBeBounded() {
        Map<String, Object> most = new TreeMap<>();
        for (ToolFactory tool : Stream.of(ContainerTools.all(Duration.ofMinutes(10), "app"), ComposeTools.all())
                .flatMap(List::stream)
                .toList()) {
            Map<?, ?> properties = (Map<?, ?>) tool.definition().input().asMap().get("properties");
            properties.forEach((name, value) -> {
                Map<?, ?> property = (Map<?, ?>) value;
                if (name.toString().contains("seconds")) {
                    most.put(tool.definition().name(), property.get("maximum"));
                    assertThat(property.get("description").toString()).contains("Where less is allowed, that holds");
                }
            });
        }

        assertThat(most.keySet()).containsExactly("compose_up", "container_test");
        assertThat(most.values())
                .allSatisfy(value -> assertThat(((Number) value).longValue()).isEqualTo(86_400));
    }
}
