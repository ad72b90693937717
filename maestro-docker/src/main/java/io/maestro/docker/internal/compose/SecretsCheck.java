package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.function.Predicate;

/** Finds secrets: what a compose file says stays with the engine, for everybody to read who may ask it. */
final class SecretsCheck {
    private static final String REASON =
            "it holds a secret of the environment, which everybody could read who may ask the engine; leave it out, and"
                    + " let your commands give it to the service";

    private final Predicate<String> secrets;
    private final Findings findings;

    SecretsCheck(Predicate<String> secrets, Findings findings) {
        this.secrets = secrets;
        this.findings = findings;
    }

    /** Looks through all names and values; where one is found is said, but not what. */
    void check(String where, JsonNode node) {
        if (node.isValueNode() && isSecret(node.asText())) {
            findings.refuse(where, REASON);
        }
        for (Map.Entry<String, JsonNode> member : node.properties()) {
            if (isSecret(member.getKey())) {
                findings.refuse(where, REASON);
            } else {
                check(where.isEmpty() ? member.getKey() : where + "." + member.getKey(), member.getValue());
            }
        }
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            check(where + "[" + i + "]", node.get(i));
        }
    }

    /** Compose writes each dollar sign twice. */
    private boolean isSecret(String text) {
        return secrets.test(text) || secrets.test(text.replace("$$", "$"));
    }
}
