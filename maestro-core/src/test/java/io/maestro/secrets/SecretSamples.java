package io.maestro.secrets;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Made-up secrets in the forms that their vendors publish, under names, in the places where secrets stand. Never a real one: all
 * characters are random.
 */
final class SecretSamples {
    /** Tokens that are known by their form, in the notation of {@link Planted}; a line is a vendor's. */
    static final List<String> FORMS = List.of("""
            sk-ant-api03-{w93}AA|sk-proj-{w74}T3BlbkFJ{w74}|sk-{A20}T3BlbkFJ{A20}|sk-svcacct-{w60}|sk-or-v1-{h64}|hf_{A34}
            gsk_{A52}|xai-{A80}|pplx-{A48}|r8_{A37}|fw_{A24}|pa-{w43}|nvapi-{w64}|csk-{h48}|lsv2_pt_{h32}_{h10}|tvly-{A32}
            pcsk_{A6}_{A60}|fc-{h32}|ghp_{A36}|gho_{A36}|ghu_{A36}|ghs_{A36}|ghr_{A36}|github_pat_{A22}_{A59}
            glpat-{w20}|gldt-{w20}|glrt-{w20}|glptt-{h40}|glsoat-{w20}|glimt-{w25}|GR1348941{w20}|ATBB{A32}|ATATT3{w186}
            npm_{A36}|pypi-AgEIcHlwaS5vcmc{w90}|rubygems_{h48}|dckr_pat_{w27}|dckr_oat_{w32}|SWMTKN-1-{h50}-{h25}|AKCp{A69}
            sgp_{h40}|oy2{h43}|cio{A32}|CLOJARS_{h60}|sqp_{h40}|CCIPAT_{A22}_{h40}|{A76}AZDO{A4}|AKIA{U16}|ASIA{U16}
            ABSK{b109}=|AIza{w35}|ya29.{w60}|GOCSPX-{w28}|{A3}7Q~{A34}|{A52}JQQJ99{A24}|dop_v1_{h64}|doo_v1_{h64}
            HRKU-{w60}|dapi{h32}|hvs.{w95}|hvb.{w138}|s.{A24}|{A14}.atlasv1.{w60}|pul-{h40}|dp.pt.{A43}|pscale_tkn_{w43}
            pscale_pw_{w43}|sbp_{h40}|sb_secret_{w31}|fm2_{b60}|fo1_{w43}|tskey-auth-{A16}-{A32}|v1.0-{h24}-{h146}
            LTAI{A20}|AKID{A32}|t1.{w40}.{w86}|AQVN{w36}|4b1d{A38}|tk-us-{w48}|rnd_{A28}|nfp_{A36}|sha256~{w43}
            AGE-SECRET-KEY-1{U58}|xoxb-{D12}-{D12}-{A24}|xoxp-{D12}-{D12}-{D12}-{h32}|xapp-1-{U11}-{D13}-{h64}
            xoxe.xoxp-1-{U163}|https://hooks.slack.com/services/{U9}/{U9}/{A24}|{D10}:AA{w33}|sk_live_{A24}|rk_test_{A24}
            https://discord.com/api/webhooks/{D18}/{w68}|whsec_{A32}|SG.{w22}.{w43}|SK{h32}|key-{h32}|{h32}-us12
            xkeysib-{h64}-{A16}|re_{A8}_{A24}|mlsn.{h64}|shpat_{h32}|shpss_{h32}|sq0atp-{w22}|EAAA{w60}|EAACEdEose0cBA{A60}
            access_token$production${h16}${h32}|FLWSECK_TEST-{h12}|access-sandbox-{h8}-{h4}-{h4}-{h4}-{h12}|live_{w40}
            duffel_live_{w43}|EZAK{A54}|shippo_live_{h40}|lin_api_{A40}|ntn_{A46}|secret_{A43}|pat{A14}.{h64}|pk_{D8}_{U32}
            tfp_{w59}|pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}|rdme_{h70}|CFPAT-{w43}|sk.eyJ{w80}.{w22}|pk.{A60}.{A22}
            {A6}_{A29}_mmk|figd_{w40}|PMAK-{h24}-{h34}|fio-u-{w64}|sl.{w135}|p8e-{h32}|pnu_{A36}|ico-{A32}|sm_pat_{A16}
            pat.{w22}.{h24}.{A20}|dnkey-{w26}-{w52}|API-{U26}|s-s4t2ud-{h64}|ops_eyJ{A250}|A3-{U6}-{U11}-{U5}-{U5}-{U5}
            0.{h8}-{h4}-{h4}-{h4}-{h12}.{A30}:{b22}==|glsa_{A32}_{h8}|glc_{A60}|sntrys_{b60}|sntryu_{h64}|NRAK-{U27}
            NRII-{w32}|NRJS-{h19}|dt0c01.{U24}.{U64}|hcaik_{h58}|phx_{A43}|xaat-{h8}-{h4}-{h4}-{h4}-{h12}
            sdk-{h8}-{h4}-{h4}-{h4}-{h12}|eyJ{w20}.eyJ{w60}.{w43}|b_{w44}
            """.strip().split("\\s*[|\\n]\\s*(?=\\S)"));

    /** Values without a form of their own, under names. */
    static final List<String> VALUES =
            List.of("{h32}", "{h40}", "{h64}", "{A24}", "{A32}", "{A40}", "{w43}", "{b40}", "{U32}");

    private static final List<String> NAMES = List.of(
                    "api_token,apiToken,API_TOKEN,access_key,accessKey,SECRET_KEY,db_password,dbPassword,DB_PASSWORD,MYSQL_PASS,"
                            + "smtp_pw,app_secret,clientSecret,CREDENTIALS,private_key,encryptionKey,SESSION_KEY,deploy_pat,wifi_psk,"
                            + "service_auth,session_cookie,registry_creds,STORAGE_KEY_PROD,jwtSecret,admin_passphrase")
            .stream()
            .flatMap(names -> List.of(names.split(",")).stream())
            .toList();

    /** Vendors whose tokens have no form. */
    static final Map<String, String> VENDORS = new TreeMap<>(Map.ofEntries(
            Map.entry("adafruit", "{h32}"),
            Map.entry("algolia", "{h32}"),
            Map.entry("airtable", "{A17}"),
            Map.entry("asana", "{h32}"),
            Map.entry("bitbucket", "{w64}"),
            Map.entry("cloudflare", "{w40}"),
            Map.entry("codecov", "{h32}"),
            Map.entry("confluent", "{A16}"),
            Map.entry("contentful", "{w43}"),
            Map.entry("datadog", "{h40}"),
            Map.entry("discord", "{h64}"),
            Map.entry("fastly", "{w32}"),
            Map.entry("heroku", "{h8}-{h4}-{h4}-{h4}-{h12}"),
            Map.entry("jira", "{A24}"),
            Map.entry("mattermost", "{A26}"),
            Map.entry("netlify", "{w43}"),
            Map.entry("okta", "00{w40}"),
            Map.entry("plaid", "{A30}"),
            Map.entry("snyk", "{h8}-{h4}-{h4}-{h4}-{h12}"),
            Map.entry("travis", "{A22}"),
            Map.entry("twitter", "{A45}"),
            Map.entry("zendesk", "{h40}")));

    /** Around a value that needs no name; {@code §} is its place. */
    static final Map<String, String> PLACES = ordered(
            "bare|§",
            "in a log|2026-01-02 10:11:12.345 INFO [main] c.e.App - uses § for the call",
            "in JSON|{\"log\":\"uses § here\",\"n\":1}",
            "JSON in JSON|{\"body\":\"{\\\"a\\\":\\\"§\\\",\\\"b\\\":1}\"}",
            "line of JSON text|{\"out\":\"a\\n§\\tb\"}",
            "colours|\u001b[1;31m§\u001b[0m",
            "escaped colours|\\u001b[31m§\\u001b[0m",
            "URL|https://example.org/a?x=1&k=§&y=2",
            "encoded in a URL|next=%2Fa%3Fk%3D§%26y%3D2",
            "header|X-Custom: §",
            "command|deploy --with § --now",
            "added by a diff|@@ -1 +1 @@\n+  § \n",
            "removed by a diff|@@ -1 +1 @@\n-§\n+x\n",
            "line number|    12\t§",
            "grep|src/a.txt:12:§",
            "XML|<v>§</v>",
            "XML entity|a=&quot;§&quot;");

    /** Around a name {@code ¤} and its value {@code §}. */
    static final Map<String, String> ASSIGNMENTS = ordered(
            "properties|¤=§",
            "ini|¤ = §",
            ".env|export ¤=\"§\"",
            "ini quoted|¤ = '§'",
            "JSON|{\n  \"¤\": \"§\"\n}",
            "JSON minified|{\"a\":1,\"¤\":\"§\",\"b\":2}",
            "JSON in JSON|{\"body\":\"{\\\"¤\\\":\\\"§\\\",\\\"b\\\":1}\"}",
            "JSON in JSON in JSON|{\"a\":\"{\\\"b\\\":\\\"{\\\\\\\"¤\\\\\\\":\\\\\\\"§\\\\\\\"}\\\"}\"}",
            "YAML|¤: §",
            "YAML in a list|env:\n  - ¤: '§'",
            "YAML block|¤: |\n  §\nb: 1",
            "YAML folded|¤: >-\n  §\nb: 1",
            "name and value|{\"name\": \"¤\", \"value\": \"§\"}",
            "name and value in YAML|- name: ¤\n  value: §",
            "XML element|<¤>§</¤>",
            "XML on its own line|<¤>\n    §\n</¤>",
            "add key|<add key=\"¤\" value=\"§\"/>",
            "property|<property name=\"¤\">§</property>",
            "plist|<key>¤</key>\n<string>§</string>",
            "Java|private static final String ¤ = \"§\";",
            "C#|string ¤ = \"§\";",
            "Go|var ¤ string = \"§\"",
            "Go short|¤ := \"§\"",
            "Go backtick|¤ := `§`",
            "TypeScript|let ¤: string = \"§\"",
            "Kotlin|val ¤: String = \"§\"",
            "JavaScript|const ¤ = '§';",
            "Python|¤ = '§'",
            "Python typed|¤: Optional[str] = \"§\"",
            "Python keyword|connect(host=h, ¤=\"§\")",
            "Ruby|¤ => '§'",
            "PHP|$¤ .= \"§\";",
            "PHP default|$¤ ??= \"§\";",
            "PHP define|define('¤', '§');",
            "Rust|let ¤: &str = \"§\";",
            "map.put|config.put(\"¤\", \"§\");",
            "getenv|os.getenv(\"¤\", \"§\")",
            "index|config['¤'] = '§'",
            "make ?=|¤ ?= §",
            "make ::=|¤ ::= \"§\"",
            "make :::=|¤ :::= \"§\"",
            "make +=|¤ += \"§\"",
            "make !=|¤ != \"§\"",
            "shell|¤='§' ./run",
            "PowerShell|$env:¤ = \"§\"",
            "setx|setx ¤ §",
            "Dockerfile|ENV ¤ §",
            "Dockerfile =|ENV A=1 ¤=§",
            "terraform|  ¤                   = \"§\"",
            "terraform plan|  ~ ¤ = \"old-Value-17\" -> \"§\"",
            "terraform variable|variable \"¤\" {\n  default = \"§\"\n}",
            "option|tool --¤ § run",
            "option =|tool --¤=§ run",
            "list of options|[\"run\", \"--¤\", \"§\"]",
            "query|GET /a?b=1&¤=§&c=2 HTTP/1.1",
            "encoded query|u=%2Fa%3F¤%3D§%26c%3D2",
            "log|2026-01-02 INFO login with ¤=§ from 10.0.0.1",
            "log with colours|\u001b[36m¤\u001b[0m=\u001b[32m§\u001b[0m",
            "added by a diff|+  ¤ = \"§\"",
            "removed by a diff|-¤: \"§\"",
            "line number|  12\t¤=§",
            "escaped quote|x = \"{\\\"¤\\\": \\\"§\\\"}\"",
            "\\t before a value|{\"a\":\"¤:\\t§\\n\"}",
            "\\u003d|{\"a\":\"¤\\u003d§\\u0026b\"}",
            "\\u0022|{\"a\":\"¤\\u003d\\u0022§\\u0022\"}",
            "entities|¤=&quot;§&quot;",
            "zero width|¤\u200b=\u200b§",
            "heredoc|¤=$(cat <<EOF\n§\nEOF\n)",
            "table|| ¤ | § |",
            "wrapped|¤ = SecretStr(\"§\")");

    /** What is done with a text as a whole. */
    static final Map<String, UnaryOperator<String>> WHOLE = new TreeMap<>(Map.of(
            "base64 again",
            text -> Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)),
            "backslash and line end",
            text -> text.substring(0, text.length() / 2) + "\\\n" + text.substring(text.length() / 2),
            "UTF-16",
            text -> String.join("\0", text.split(""))));

    private SecretSamples() {}

    /**
     * A sample.
     *
     * @param text where the secret stands
     * @param secret must not be left; what is left of it must be short
     */
    record Sample(String kind, String context, String text, String secret) {}

    private static Map<String, String> ordered(String... lines) {
        Map<String, String> map = new LinkedHashMap<>();
        for (String line : lines) {
            map.put(line.substring(0, line.indexOf('|')), line.substring(line.indexOf('|') + 1));
        }
        return map;
    }

    /** Every form in every place, every name in every assignment, every vendor's name with every ending in every assignment. */
    static List<Sample> all(Random random) {
        List<Sample> samples = new ArrayList<>();
        for (String form : FORMS) {
            PLACES.forEach((context, place) -> add(samples, form, context, place, "", Planted.fill(form, random)));
            WHOLE.forEach((context, way) -> {
                String secret = Planted.fill(form, random);
                samples.add(new Sample(form, context, way.apply(secret), hidden(secret, way.apply(secret))));
            });
        }
        for (String name : NAMES) {
            ASSIGNMENTS.forEach((context, place) -> {
                String value = VALUES.get(random.nextInt(VALUES.size()));
                add(samples, name, context, place, name, Planted.fill(value, random));
            });
        }
        VENDORS.forEach((vendor, value) -> {
            for (String ending : List.of("Token", "_key", "Auth", "Pass", "Id", "_SECRET")) {
                String name = ending.startsWith("_S") ? vendor.toUpperCase(Locale.ROOT) + ending : vendor + ending;
                ASSIGNMENTS.forEach((context, place) ->
                        add(samples, vendor + ending, context, place, name, Planted.fill(value, random)));
            }
        });
        return samples;
    }

    private static void add(
            List<Sample> samples, String kind, String context, String place, String name, String secret) {
        BiFunction<String, String, String> fill =
                (pattern, value) -> pattern.replace("¤", name).replace("§", value);
        samples.add(new Sample(kind, context, fill.apply(place, secret), hidden(secret, secret)));
    }

    /** Where a service is, is no secret: of a URL the end must not be left. */
    private static String hidden(String secret, String written) {
        return secret.contains("://") ? written.substring(written.length() - 24) : written;
    }
}
