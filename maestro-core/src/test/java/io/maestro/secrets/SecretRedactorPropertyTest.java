package io.maestro.secrets;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random texts with secrets planted in them; a test's name has its seed. */
class SecretRedactorPropertyTest {
    private static final ObjectMapper JSON = new JsonMapper();
    private static final List<String> TOKENS = List.of(
            "sk-ant-api03-{w60}",
            "ghp_{A36}",
            "glpat-{w20}",
            "AKIA{U16}",
            "AIza{w35}",
            "xoxb-{D12}-{A24}",
            "hf_{A34}",
            "eyJ{w20}.eyJ{w40}.{w30}",
            "sk_live_{A24}",
            "npm_{A36}",
            "SG.{w22}.{w43}",
            "dop_v1_{h64}");
    private static final List<String> NOISE = List.of(
            " ",
            "\n",
            "\"",
            "\\",
            "'",
            "=",
            ":",
            ",",
            "{",
            "}",
            "[",
            "]",
            "/",
            "ü",
            "😀",
            "\t",
            "password",
            "token",
            "secret = ",
            "https://",
            "-----BEGIN",
            "[REDACTED:",
            "[REDACTED:jwt]",
            "word",
            "0",
            "<",
            ">",
            "@",
            "\\n",
            "sk-",
            "Authorization: Bearer ",
            "\u001b[31m");

    private final Random random = new Random();

    static LongStream seeds() {
        return Campaign.seeds("texts with secrets", Campaign.number(30));
    }

    static LongStream moreSeeds() {
        return Campaign.seeds("more texts with secrets", 90);
    }

    private String noise(int most) {
        StringBuilder noise = new StringBuilder();
        for (int i = random.nextInt(most); i > 0; i--) {
            noise.append(NOISE.get(random.nextInt(NOISE.size())));
        }
        return noise.toString();
    }

    /** A value of any characters that is long enough to be no part of the noise. */
    private String value() {
        return Planted.fill("v{A5}", random) + noise(4) + Planted.fill("{w8}", random);
    }

    /** None that a document shows. */
    private String token() {
        String token = Planted.fill(TOKENS.get(random.nextInt(TOKENS.size())), random);
        return token.contains("xxxx") || token.contains("XXXX") ? token() : token;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("campaign")
    void leavesNoPlantedSecret(long seed) {
        random.setSeed(seed);
        SecretRedactor redactor = SecretRedactor.withDefaults();
        List<String> planted = new ArrayList<>();
        StringBuilder text = new StringBuilder(noise(10));
        for (int i = random.nextInt(6); i >= 0; i--) {
            String secret = random.nextBoolean() ? token() : value().strip();
            if (secret.startsWith("v")) {
                redactor.addSecret(secret);
                text.append(secret);
            } else {
                text.append(' ').append(secret).append(' '); // a token is a word
            }
            planted.add(secret);
            text.append(noise(10));
        }

        String redacted = redactor.redact(text.toString());

        assertThat(planted).as(text.toString()).noneMatch(redacted::contains);
        assertThat(redactor.redact(redacted)).as("a second time").isEqualTo(redacted);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("campaign")
    void keepsJsonValidAndLeavesNoSecretInIt(long seed) throws Exception {
        random.setSeed(seed);
        SecretRedactor redactor = SecretRedactor.withDefaults();
        List<String> planted = new ArrayList<>();
        JsonNode tree = tree(4, 0, redactor, planted);
        String json = JSON.writeValueAsString(tree);

        String redacted = redactor.redact(json);

        JsonNode after = JSON.readTree(redacted);
        assertThat(after.getNodeType()).isEqualTo(tree.getNodeType());
        assertThat(after.size()).as(json).isEqualTo(tree.size());
        List<String> texts = texts(after);
        assertThat(planted).as(json).noneMatch(secret -> texts.stream().anyMatch(text -> text.contains(secret)));
        assertThat(redactor.redact(redacted)).as("a second time").isEqualTo(redacted);
    }

    @ParameterizedTest
    @MethodSource("moreSeeds")
    @Full("the short tier has 30 texts of each kind")
    void leavesNoPlantedSecretInMoreTexts(long seed) throws Exception {
        leavesNoPlantedSecret(seed);
        keepsJsonValidAndLeavesNoSecretInIt(seed);
    }

    private JsonNode tree(int depth, int nested, SecretRedactor redactor, List<String> planted) throws Exception {
        if (depth == 0) {
            return switch (random.nextInt(nested < 2 ? 6 : 5)) {
                case 0 -> JSON.getNodeFactory().numberNode(random.nextInt());
                case 1 -> JSON.getNodeFactory().numberNode(knownNumber(redactor, planted));
                case 2 -> JSON.getNodeFactory().textNode(noise(8));
                case 3 -> {
                    String token = token();
                    planted.add(token);
                    yield JSON.getNodeFactory().textNode(noise(4) + "\n" + token + "\n" + noise(4));
                }
                case 4 -> {
                    String value = value().strip();
                    redactor.addSecret(value);
                    planted.add(value);
                    yield JSON.getNodeFactory().textNode(noise(4) + value + noise(4));
                }
                default ->
                    JSON.getNodeFactory()
                            .textNode(JSON.writeValueAsString(tree(2, nested + 1, redactor, planted))); // JSON in JSON
            };
        }
        if (random.nextBoolean()) {
            ArrayNode array = JSON.createArrayNode();
            for (int i = random.nextInt(3); i >= 0; i--) {
                array.add(tree(depth - 1, nested, redactor, planted));
            }
            return array;
        }
        ObjectNode object = JSON.createObjectNode();
        for (int i = random.nextInt(3); i >= 0; i--) {
            object.set(i + noise(3), tree(depth - 1, nested, redactor, planted));
        }
        return object;
    }

    private long knownNumber(SecretRedactor redactor, List<String> planted) {
        long number = 1_000_000_000_000L + random.nextInt();
        redactor.addSecret(Long.toString(number));
        planted.add(Long.toString(number));
        return number;
    }

    private static List<String> texts(JsonNode node) {
        List<String> texts = new ArrayList<>();
        if (node.isValueNode()) {
            texts.add(node.asText());
        }
        node.fieldNames().forEachRemaining(texts::add);
        node.forEach(child -> texts.addAll(texts(child)));
        return texts;
    }
}
