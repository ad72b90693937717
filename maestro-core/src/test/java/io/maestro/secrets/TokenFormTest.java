package io.maestro.secrets;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.secrets.internal.TokenForm;
import io.maestro.testing.Campaign;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A token of a well-known form is named so wherever it stands, whatever other rules say about the place. */
class TokenFormTest {
    private static final Pattern MARK = Pattern.compile("\\[REDACTED:([a-z0-9-]+)]");

    private final SecretRedactor redactor = SecretRedactor.withDefaults();

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Places that other rules look at. */
    static Map<String, UnaryOperator<String>> places() {
        Map<String, UnaryOperator<String>> places = new LinkedHashMap<>();
        places.put("user in a URL", token -> "https://" + token + "@github.com/a/b.git");
        places.put("password in a URL", token -> "https://x-access-token:" + token + "@github.com/a/b.git");
        places.put("of GitLab", token -> "https://oauth2:" + token + "@gitlab.example.org");
        places.put("cookie", token -> "Cookie: lang=en; session=" + token + "; theme=dark");
        places.put("header", token -> "Authorization: Bearer " + token);
        places.put("header with a name", token -> "PRIVATE-TOKEN: " + token);
        places.put("name", token -> "api_token = \"" + token + "\"");
        places.put("password", token -> "DB_PASSWORD=" + token);
        places.put("JSON in JSON", token -> "{\"a\":\"{\\\"password\\\":\\\"" + token + "\\\"}\"}");
        places.put("command", token -> "curl -u me:" + token + " https://example.org");
        places.put("docker login", token -> "{\"auths\":{\"ghcr.io\":{\"auth\":\"" + base64("me:" + token) + "\"}}}");
        places.put("basic", token -> "Authorization: Basic " + base64("x-access-token:" + token));
        places.put("base64", token -> "data: " + base64(token));
        places.put("base64 of a file", token -> "data: " + base64("user=me\npassword=" + token + "\n"));
        places.put("base64 of base64", token -> "data: " + base64("value: " + base64("my " + token)));
        places.put(
                "URL in a URL",
                token -> "https://example.org/?to="
                        + URLEncoder.encode("https://x-access-token:" + token + "@github.com", StandardCharsets.UTF_8));
        return places;
    }

    private boolean isCertain(String text) {
        Matcher marks = MARK.matcher(redactor.redact(text));
        while (marks.find()) {
            if (TokenForm.isCertain(marks.group(1), text)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void isNamedInEveryPlace() {
        Random random = new Random(Campaign.seed("tokens in places"));
        List<String> missed = new ArrayList<>();
        int forms = 0;
        for (String form : SecretSamples.FORMS) {
            String token = Planted.fill(form, random);
            if (!isCertain("a " + token + " b") || token.contains("://")) {
                continue;
            }
            forms++;
            places().forEach((name, place) -> {
                if (!isCertain(place.apply(token))) {
                    missed.add(name + ", " + form + ": " + redactor.redact(place.apply(token)));
                }
            });
        }

        assertThat(forms).isGreaterThan(80);
        assertThat(missed).isEmpty();
    }

    @Test
    void aKnownValueIsNamedToo() {
        SecretRedactor knowing =
                SecretRedactor.builder().secret("zq81-plain-zq81").build();

        places().forEach((name, place) -> assertThat(knowing.redact(place.apply("zq81-plain-zq81")))
                .as(name)
                .contains("[REDACTED:known-secret]"));
    }
}
