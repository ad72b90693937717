package io.maestro.secrets;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Texts without a secret, of the kinds that agents see most: lock files, logs, manifests, what tools pack and what they print. */
public final class OrdinaryTexts {
    /** A part of a template besides those of {@link Planted}: a word, a number, a UUID, base64 of some bytes, an even number of hex. */
    private static final Pattern PART = Pattern.compile("<(word|Word|WORD|n|uuid|path|b64:\\d+)>");

    private static final List<String> WORDS = List.of(
            ("account action active adapter agent array async auth author base batch binary block branch buffer build cache call"
                            + " channel client cloud code color command common config context control cookie core count data default"
                            + " deploy design device digest domain driver editor element engine entry error event export factory field"
                            + " file filter font form frame graph group handler hash header helper host image index input item job json"
                            + " key label layer layout library limit line link list loader local log login machine main manager map"
                            + " match message metric middleware mobile model module monitor network node number object option order"
                            + " output package page parser pass path pattern pipe platform plugin point policy pool port process"
                            + " profile project prompt proxy public query queue range reader record region registry release remote"
                            + " render report request resource response result role root route rule runner sample scope script search"
                            + " secret segment server service session shell sign simple source space square stack state status storage"
                            + " store stream string style system table task template test text theme thread ticket time token tool"
                            + " trace track tree type unit update user util value vector version view window worker writer zone")
                    .split(" "));

    /** A text is many of its template, each filled anew. */
    private static final Map<String, String> TEMPLATES = templates();

    private OrdinaryTexts() {}

    private static Map<String, String> templates() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("package-lock.json", """
                    "node_modules/@<word>/<word>-<word>": {
                      "version": "<n>.<n>.<n>",
                      "resolved": "https://packages.example.org/@<word>/<word>-<word>/-/<word>-<word>-<n>.<n>.<n>.tgz",
                      "integrity": "sha512-<b64:64>",
                      "dev": true,
                      "license": "MIT",
                      "dependencies": {
                        "<word>-<word>": "^<n>.<n>.<n>",
                        "<word>": "~<n>.<n>.<n>"
                      },
                      "engines": { "node": ">=<n>" }
                    },
                """);
        map.put("yarn.lock", """
                "@<word>/<word>-<word>@^<n>.<n>.<n>", "@<word>/<word>-<word>@^<n>.<n>.<n>":
                  version "<n>.<n>.<n>"
                  resolved "https://registry.yarnpkg.com/@<word>/<word>-<word>/-/<word>-<word>-<n>.<n>.<n>.tgz#{h40}"
                  integrity sha512-<b64:64>
                  dependencies:
                    "<word>" "^<n>.<n>.<n>"

                """);
        map.put("pnpm-lock.yaml", """
                  /<word>-<word>@<n>.<n>.<n>(<word>@<n>.<n>.<n>):
                    resolution: {integrity: sha512-<b64:64>}
                    engines: {node: '>=<n>'}
                    cpu: [x64]
                    dependencies:
                      <word>: <n>.<n>.<n>

                """);
        map.put("Cargo.lock", """
                [[package]]
                name = "<word>-<word>"
                version = "<n>.<n>.<n>"
                source = "registry+https://packages.example.org/index"
                checksum = "{h64}"
                dependencies = [
                 "<word>",
                 "<word>_<word> <n>.<n>.<n>",
                ]

                """);
        map.put("go.sum", """
                github.com/<word>/<word>-<word> v<n>.<n>.<n> h1:<b64:32>
                github.com/<word>/<word>-<word> v0.0.0-20190308221718-{h12}/go.mod h1:<b64:32>
                """);
        map.put("poetry.lock", """
                [[package]]
                name = "<word>-<word>"
                version = "<n>.<n>.<n>"
                description = "A <word> for <word> and <word> tokens"
                optional = false
                python-versions = ">=3.<n>"
                files = [
                    {file = "<word>_<word>-<n>.<n>.<n>-cp311-cp311-manylinux_2_17_x86_64.whl", hash = "sha256:{h64}"},
                    {file = "<word>_<word>-<n>.<n>.<n>.tar.gz", hash = "sha256:{h64}"},
                ]

                [metadata]
                content-hash = "{h64}"

                """);
        map.put("requirements.txt, Pipfile.lock, Gemfile.lock, composer.lock", """
                <word>-<word>==<n>.<n>.<n> \\
                    --hash=sha256:{h64} \\
                    --hash=sha256:{h64}
                        "<word>": {
                            "hashes": [
                                "sha256:{h64}"
                            ],
                            "index": "pypi",
                            "version": "==<n>.<n>.<n>"
                        },
                    <word>-<word> (<n>.<n>.<n>)
                      <word> (>= <n>.<n>)
                            "reference": "{h40}",
                            "url": "https://api.github.com/repos/<word>/<word>/zipball/{h40}",
                            "shasum": ""
                """);
        map.put("gradle verification, nix, flake.lock", """
                      <component group="com.<word>" name="<word>-<word>" version="<n>.<n>.<n>">
                         <artifact name="<word>-<word>-<n>.<n>.<n>.jar">
                            <sha256 value="{h64}" origin="Generated by Gradle"/>
                            <pgp value="{U40}"/>
                  sha256 = "{a52}";
                  hash = "sha256-<b64:32>";
                        "narHash": "sha256-<b64:32>",
                        "rev": "{h40}",
                """);
        map.put("minified JavaScript", """
                !function(e,t){"object"==typeof exports?module.exports=t():e.<word>=t()}(this,function(){var e=<n>,t="<word>";\
                function n(e){return e.<word>||(e.<word>=new r(t,e.<word>Key)),e.key=t.key,e.token=n.next(),e.pass=!0,e}\
                n.prototype.<word><Word>=function(e,t){for(var r=0;r<e.length;r++)this.<word>[t+"_"+e[r].key]=e[r].value;\
                return this.auth={type:"<word>",token:null,key:i(t),session:o},this.<word><Word>(t)},\
                a.createElement("<word>",{key:"<word>-<word>-<n>",className:"<word>-<word>__<word>--<word>",onClick:()=>u(<n>)});\
                const {A2}=e=>{switch(e.key){case"ArrowLeft":case"Escape":return s(e.keyCode,{passive:!0});default:return null}};
                //# sourceMappingURL=<word>.{h8}.min.js.map
                """);
        map.put("SVG", """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="<n>"><path fill="#{h6}" d="M<n>.<n> <n>.<n>c0 \
                <n>.<n>-1.<n> 2.<n>-2.<n> 2.<n>s-2.<n>-1.<n>-2.<n>-2.<n>l-<n>.<n>.<n>zM<n>,<n>a<n>.<n>,<n>.<n> 0 0 1 <n>,<n>H<n>V<n>z"/>\
                <use xlink:href="#key-<word>"/><g id="pass-<n>"><text>token <n></text></g></svg>
                """);
        map.put("CSS with images", """
                .<word>-<word>{background:url(data:image/png;base64,iVBORw0KGgo<b64:300>) no-repeat;color:#{h6}}
                @font-face{font-family:"<Word>";src:url(data:font/woff2;charset=utf-8;base64,d09GMgABAAAA<b64:600>)}
                .key-<word>:hover::before,.token.<word>{content:"\\f{h3}";margin:0 <n>px}
                .icon{background-image:url("data:image/svg+xml;charset=utf8,%3Csvg viewBox='0 0 30 30' xmlns='http://www.w3.org/2000/svg'%3E\
                %3Cpath stroke='rgba(0, 0, 0, 0.5)' d='M4 7h22M4 15h22M4 23h22'/%3E%3C/svg%3E")}
                """);
        map.put("ids", """
                <uuid>
                {"id":"<uuid>","parentId":"<uuid>","traceId":"{h32}","spanId":"{h16}","etag":"W/\\"{h32}\\"","name":"<word> <word>"}
                INSERT INTO <word> (id, <word>_id, created) VALUES ('<uuid>', '<uuid>', '2026-01-02 10:11:12.345');
                urn:uuid:<uuid> 01{U24} {h24} cl{h23}
                """);
        map.put("git", """
                commit {h40} (HEAD -> <word>/<word>-<n>, tag: v<n>.<n>.<n>)
                Merge: {h7} {h7}
                Author: <Word> <Word> <<word>.<word>@example.org>
                Date:   Mon Jan 2 10:11:12 2026 +0100

                    Let the <word> pass its key to the <word>, and keep the token

                diff --git a/<path> b/<path>
                index {h7}..{h7} 100644
                --- a/<path>
                +++ b/<path>
                @@ -<n>,<n> +<n>,<n> @@ class <Word><Word> {
                -    private final <Word>Key key = <word>.key(<word>Key);
                +    private final <Word>Token token = <word>.next<Word>(<n>);
                {h40} refs/heads/<word>-<n>
                """);
        map.put("Maven", """
                [INFO] --- maven-<word>-plugin:<n>.<n>.<n>:<word> (default-<word>) @ <word>-<word> ---
                [INFO] Downloading from company: https://files.example.org/java/org/<word>/<word>-<word>/<n>.<n>/<word>-<word>-<n>.<n>.pom
                [INFO] Tests run: <n>, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.<n> s -- in com.<word>.<Word><Word>Test
                [WARNING] /home/<word>/<path>:[<n>,<n>] <word>Key in com.<word>.<Word>Token has been deprecated
                [ERROR]   <Word>KeyTest.<word>Token:<n> expected: "<word>-<n>" but was: "<word>-<n>"
                \tat com.<word>.<word>.<Word>Session.<word>(<Word>Session.java:<n>) ~[<word>-<n>.<n>.jar:<n>.<n>]
                [INFO] Installing /home/<word>/target/<word>-<n>.jar to /home/<word>/.m2/repository/<word>/<word>-<n>.jar
                """);
        map.put("log", """
                2026-01-02T10:11:12.<n>Z INFO [http-nio-8080-exec-<n>] c.e.<word>.<Word>Service - <word> <uuid> GET /api/v1/<word>s/<n>?page=2&size=<n> 200 <n>ms
                10.0.0.<n> - - [02/Jan/2026:10:11:12 +0000] "GET /assets/<word>.{h8}.js HTTP/1.1" 200 <n> "https://example.org/<word>" "Mozilla/5.0 (X11)"
                Jan  2 10:11:12 host sshd[<n>]: pam_unix(sshd:session): session opened for user <word> by (uid=0)
                level=info ts=2026-01-02T10:11:12.345Z caller=<word>.go:<n> msg="<word> token refreshed" session=<n> key=<word>-<n> trace_id={h32}
                time="2026-01-02T10:11:12Z" level=warn msg="authentication of <word> failed: password is wrong" user=<word> auth=basic
                Step <n>/<n> : COPY --from=build /app/<word> /app ---> {h12} Successfully built sha256:{h64}
                E<n> 10:11:12.345678       1 <word>.go:<n>] "Unhandled" err="secret \\"<word>-<word>\\" not found" pod="<word>-{h10}-{a5}"
                """);
        map.put("Kubernetes", """
                apiVersion: v1
                kind: Deployment
                metadata:
                  name: <word>-<word>
                  uid: <uuid>
                  resourceVersion: "<n>"
                  annotations:
                    checksum/config: {h64}
                    checksum/secret: {h64}
                    kubernetes.io/service-account.name: <word>-token
                spec:
                  template:
                    spec:
                      imagePullSecrets:
                        - name: <word>-registry-secret-<n>
                      serviceAccountName: <word>-<n>
                      automountServiceAccountToken: false
                      containers:
                        - image: registry.example.org/<word>/<word>:<n>.<n>.<n>@sha256:{h64}
                          env:
                            - name: <WORD>_PASSWORD
                              valueFrom:
                                secretKeyRef:
                                  name: <word>-secret-<n>
                                  key: <word>-password
                            - name: SECRET_NAME
                              value: <word>-secret-<n>
                            - name: KEY_PREFIX
                              value: "<word>:<word>:v<n>"
                          volumeMounts:
                            - mountPath: /run/secrets/<word>-<n>
                      tolerations:
                        - key: node.<word>.io/<word>-<n>
                ---
                """);
        map.put("checksums", """
                {h64}  <word>-<n>.<n>.<n>.tar.gz
                {h32} *<word>_<word>.zip
                SHA512 (<word>-<n>.iso) = {h64}{h64}
                MD5 (<path>) = {h32}
                {h40}\t<path>
                <path>: OK
                sha384-<b64:48>
                <script src="/<word>.js" integrity="sha384-<b64:48>" crossorigin="anonymous"></script>
                digest: sha256:{h64} size: <n>
                """);
        map.put("fixtures", """
                {"user":"<word>","email":"<word>@example.org","hash":"{h40}","avatar":"https://cdn.example.org/a/{h32}.png","sessions":<n>,"keyCount":<n>}
                  - id: <n>
                    key: <word>.<word>.<word>
                    token_type: bearer
                    expires_in: 3600
                    label: "Pass the <word> to <word>"
                    primary_key: <n>
                    sort_key: <word>_<word>_<n>
                <word>.key=<word>.<word>
                it("returns the key of the <word>", () => { expect(keyOf(<word><Word>)).toBe("<word>-<word>"); });
                assertThat(tokens).containsExactly(token("<word>", <n>), token("<word>", <n>));
                | key | value | token |
                | <word> | <n> | <word> |
                """);
        map.put("JSON", """
                {"id":<n>,"type":"<word>.<word>","created_at":"2026-01-02T10:11:12Z","actor":{"login":"<word>","url":"https://api.example.org/users/<word>",\
                "avatar_url":"https://avatars.example.org/u/<n>?v=4"},"payload":{"key":"<word>","path":"<path>","message":"Let the <word> pass\\n\\nSee #<n>",\
                "content":"package com.<word>;\\n\\nimport java.util.List;\\n\\n/** A \\"<word>\\" of <word>s. */\\npublic final class <Word><Word> {\\n\
                    private final Map<String, <Word>> <word>s = new HashMap<>();\\n\\n    <Word> next(<Word> token, String key) {\\n\
                        if (token == null || key.isEmpty()) {\\n            throw new IllegalArgumentException(\\"no <word>: \\" + key);\\n\
                        }\\n        return <word>s.get(key);\\n    }\\n}\\n"},"token_count":<n>,"next_page_token":null}
                """);
        return map;
    }

    /** The names of the kinds. */
    public static List<String> kinds() {
        List<String> kinds = new ArrayList<>(TEMPLATES.keySet());
        kinds.add("certificates");
        return kinds;
    }

    /**
     * Makes a text.
     *
     * @param kind one of {@link #kinds()}
     * @param characters it has at least so many
     */
    public static String of(String kind, int characters, Random random) {
        Function<Random, String> one = kind.equals("certificates")
                ? OrdinaryTexts::certificate
                : r -> Planted.fill(filled(TEMPLATES.get(kind), r), r);
        StringBuilder text = new StringBuilder();
        while (text.length() < characters) {
            text.append(one.apply(random));
        }
        return text.toString();
    }

    private static String filled(String template, Random random) {
        Matcher matcher = PART.matcher(template);
        StringBuilder filled = new StringBuilder();
        while (matcher.find()) {
            matcher.appendReplacement(filled, Matcher.quoteReplacement(part(matcher.group(1), random)));
        }
        return matcher.appendTail(filled).toString();
    }

    private static String part(String kind, Random random) {
        String word = WORDS.get(random.nextInt(WORDS.size()));
        return switch (kind) {
            case "word" -> word;
            case "WORD" -> word.toUpperCase(Locale.ROOT);
            case "Word" -> Character.toUpperCase(word.charAt(0)) + word.substring(1);
            case "n" -> String.valueOf(random.nextInt(random.nextBoolean() ? 10 : 5_000));
            case "uuid" -> new UUID(random.nextLong(), random.nextLong()).toString();
            case "path" -> "src/" + word + "/" + WORDS.get(random.nextInt(WORDS.size())) + ".java";
            default -> base64(Integer.parseInt(kind.substring("b64:".length())), random);
        };
    }

    private static String base64(int bytes, Random random) {
        byte[] all = new byte[bytes];
        random.nextBytes(all);
        return Base64.getEncoder().encodeToString(all);
    }

    /** A certificate, a public key and a key of a host, which are for all to see. */
    private static String certificate(Random random) {
        byte[] bytes = new byte[600 + random.nextInt(800)];
        random.nextBytes(bytes);
        String lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(bytes);
        String kind = List.of("CERTIFICATE", "PUBLIC KEY", "CERTIFICATE REQUEST", "PGP SIGNATURE", "PKCS7")
                .get(random.nextInt(5));
        return "subject=CN = " + part("word", random) + "\n-----BEGIN " + kind + "-----\n" + lines + "\n-----END "
                + kind
                + "-----\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + base64(32, random) + " " + part("word", random)
                + "@example.org\n|1|" + base64(20, random) + "|" + base64(20, random)
                + " ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB"
                + base64(256, random) + "\n";
    }
}
