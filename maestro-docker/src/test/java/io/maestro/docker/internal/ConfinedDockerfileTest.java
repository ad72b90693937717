package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.maestro.docker.internal.BaseNames.Base;
import io.maestro.docker.internal.ConfinedDockerfile.Abilities;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfinedDockerfileTest {
    private static final Abilities ALL = new Abilities(true, true);

    private static String confined(String text) {
        return confined(text, ALL);
    }

    private static String confined(String text, Abilities abilities) {
        return confined(text, abilities, "{}");
    }

    private static String confined(String text, Abilities abilities, String configOfBases) {
        JsonNode config = Json.parse(configOfBases);
        return new ConfinedDockerfile(
                        Map.of("GIVEN", "given:1"),
                        name -> {
                            if (name.startsWith("evil")) {
                                throw new IllegalArgumentException("names an image: " + name);
                            }
                            return new Base("alias/" + name, config);
                        },
                        "cacheof",
                        abilities)
                .of(text);
    }

    private static ConfinedDockerfile plain() {
        return new ConfinedDockerfile(Map.of(), name -> new Base(name, MissingNode.getInstance()), "cacheof", ALL);
    }

    /** Each was read otherwise here than by a builder, or reaches what only the machine reaches. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "AD\\\nD http://169.254.169.254/ /x",
                "ADD http:\\\n//127.0.0.1:8000/ /x",
                "ADD git\\\n@host:a.git /x",
                "RUN --net\\\nwork=host id",
                "RU\\\nN --network=host id",
                "RUN --secu\\\nrity=insecure id",
                "RUN --network=$NET id",
                "RUN --network='host' id",
                "RUN --n\\etwork=host id",
                "RUN --device=nvidia id",
                "ADD [\"h\\u0074tp:\\u002f/a/x\", \"/x\"]",
                "ADD ht\"tp:/\"/a/x /x",
                "ADD $A /x",
                "ADD github.com/a/b.git /x",
                "ADD <<A /x\nA",
                "ADD a.tar /x",
                "ADD [\"b\", \"A.TGZ\", \"/x\"]",
                "ADD --unpack=true a /x",
                "HEALTHCHECK --start-interval=1ms CMD id",
                "RUN --mount=type=tmpfs,target=/x,from=evil/private id",
                "ARG MAESTRO_LAYERS=-review",
                "ENV A=b MAESTRO_LAYERS=-review",
                "ENV ${A}LAYERS=-review",
                "ENV \"MAESTRO_LAYERS\"=-review",
                "ENV MAESTRO_L'AYERS'=-review",
                "ENV MAESTRO_\\LAYERS=-review",
                "ENV \"MAESTRO_LAYERS\" -review",
                "ENV A='b' \"MAESTRO_LAYERS\"=-review",
                "ENV A=\\' \"MAESTRO_LAYERS\"=-review C='",
                "ARG A \"MAESTRO_LAYERS\"=-review",
                "ONBUILD ENV MAESTRO_LAYERS=-review",
                "ONBUILD ADD a /x",
                "ONBUILD ADD http://a/x /x",
                "ONBUILD RUN --mount=type=cache,target=/x id",
                "ONBUILD FROM a",
                "COPY --from=evil/private /x /x",
                "COPY --from=later /x /x\nFROM evil AS later",
                "COPY --from=1 /x /x\nFROM a",
                "COPY --from=$X /x /x",
                "COPY --from=scratch /x /x",
                "RUN --mount=type=bind,from=evil/private,target=/x id",
                "RUN --mount=type=bind,from=$X,target=/x id",
                "RUN --mount=type=secret,id=a id",
                "RUN --mount=type=ssh id",
                "RUN --mount=type=$T,target=/x id",
                "RUN --mount=type=bind,type=cache,target=/x id",
                "RUN <<'E\\'\nE\\\nRUN --network=host id",
                "RUN <<E\nx",
                "RUN echo 'a <<E\nRUN --network=host id\nE",
                "RUN [\"sh\", \"<<E\"]\nADD http://a /x\nE",
                "RUN echo ${A:- <<E }\nADD http://a /x\nE",
                "RUN x\\\\\nADD http://a /x",
                "RUN echo `\nADD http://a /x",
                "FROM evil/private",
                "FROM \"evil/private\"",
                "FROM $UNKNOWN",
                "FROM a AS ../x",
                "FROM --evil a",
                "evil a",
                "{\"syntax\": \"evil/f\"}",
                "RUN a\u000b--network=host id",
                "RUN a\rADD http://a /x",
                "COPY \u2003--from=evil/private /x /x",
                "copy\t \u3000 --from=evil/private /x /x",
                "COPY --chown=0:0 \u2003--from=evil/private /x /x",
                "RUN \u00a0--mount=type=bind,from=evil/private,target=/x id",
                "ONBUILD COPY \u2003--from=evil/private /x /x",
                "\u2003COPY a b",
                "FROM a AS\u2003b",
                "USER --from=a",
                "COPY --chown=\u0661 a b",
                "RUN :||cat \u2003<<\"RUN true\"\nRUN true",
                "RUN :||cat \u00a0<<\"RUN true\"\nRUN true",
                "COPY x \u2003<<\"RUN true\" /y/\nRUN true",
                "RUN : << \"RUN true\"\nRUN true",
                "RUN : <<-\t\"RUN true\"\nRUN true",
                "RUN : \u00e4 <<E\nE",
                "RUN : # ${} <<CMD\nCMD",
                "RUN : # \\<<CMD\nCMD",
                "RUN : # $A<<CMD\nCMD",
                "RUN : # $@<<CMD\nCMD",
                "COPY --chown=${ x <<CMD /y/\nCMD",
                "RUN --mount=type=bind,from=1,target=/x id\nFROM a"
            })
    void isRefused(String dockerfile) {
        assertThatThrownBy(() -> confined("FROM a\n" + dockerfile + "\n")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "# escape=`\nFROM a\nRUN `\n--network=host id",
                "# escape=`\nFROM a\nADD `\nhttp://a /x",
                "# escape=`\nFROM a\nRUN : # x\\ <<CMD\nCMD",
                "ARG X=evil/private\nFROM $X",
                "ARG X=private\nARG Y=evil/${X}\nFROM ${Y}",
                "FROM ${X:-evil/private}",
                "#!x\n{\"syntax\":\"evil/f\"}\nFROM a",
                "# escape=x\nFROM a",
                "RUN id",
                ""
            })
    void asAWholeIsRefused(String dockerfile) {
        assertThatThrownBy(() -> confined(dockerfile)).isInstanceOf(IllegalArgumentException.class);
    }

    /** One line each, and nothing that a builder could take for an order to itself. */
    @Test
    void whatABuilderGetsCanBeReadInOneWay() {
        assertThat(confined("""
                                #!/usr/bin/env docker
                                # syntax=evil/frontend:1
                                # a remark
                                ARG BASE=maven
                                ARG FULL="${BASE}:3"
                                ARG GIVEN
                                FROM --platform=$BUILDPLATFORM ${FULL} as Build
                                RUN a && \\
                                    # another
                                \s
                                  b \\
                                   --network=host
                                run --mount=type=cache,target=/root/.m2 --mount=type=bind,from=tools,target=/t --network=default mvn <<-"EX" && cat <<EY > "/a b"
                                FROM evil/private
                                \tEX
                                ADD http://a /x
                                EY
                                FROM $GIVEN
                                COPY --from=build --chown=a:b "x y" /x
                                COPY --from=0 x y
                                RUN --mount=from=0,target=/t id
                                ADD [ "a.txt", "/x" ]
                                ADD --chown=a x.d ${HOME}/
                                FROM scratch
                                LABEL com.docker.compose.project=a \\
                                    b=c
                                ONBUILD LABEL a=b
                                COPY --from=given:2 /a /a
                                FROM build
                                ENV A=1 \\
                                    B=http://a
                                """)).isEqualTo("""
                        ARG BASE=maven
                        ARG FULL="${BASE}:3"
                        ARG GIVEN
                        FROM alias/maven:3 AS maestro-stage-0-build
                        RUN a &&   b    --network=host
                        RUN --mount=type=cache,target=/root/.m2,id=cacheof%s --mount=type=bind,from=alias/tools,target=/t mvn <<-"EX" && cat <<EY > "/a b"
                        FROM evil/private
                        \tEX
                        ADD http://a /x
                        EY
                        FROM alias/given:1 AS maestro-stage-1
                        COPY --from=maestro-stage-0-build --chown=a:b "x y" /x
                        COPY --from=maestro-stage-0-build x y
                        RUN --mount=from=maestro-stage-0-build,target=/t id
                        COPY ["a.txt","/x"]
                        COPY --chown=a x.d ${HOME}/
                        FROM scratch AS maestro-stage-2
                        COPY --from=alias/given:2 /a /a
                        FROM maestro-stage-0-build AS maestro-stage-3
                        ENV A=1     B=http://a
                        """.formatted(ContentHash.of("=/root/.m2")));
        assertThat(confined("# escape=`\r\nFROM a\r\nRUN x `\r\n y C:\\\r\n"))
                .isEqualTo("# escape=`\nFROM alias/a AS maestro-stage-0\nRUN x  y C:\\\n");
        assertThat(confined("FROM a\nRUN printf 'std::cout << \"a\\n\" << b;' > a.cc && echo $((1<<2))\n"))
                .isEqualTo(
                        "FROM alias/a AS maestro-stage-0\nRUN printf 'std::cout << \"a\\n\" << b;' > a.cc && echo $((1<<2))\n");
    }

    @Test
    void aStageIsNamedByItsNameOrNumber() {
        ConfinedDockerfile dockerfile = plain();
        dockerfile.of("FROM a AS one\nFROM a\nFROM a AS ONE\n");
        assertThat(List.of("one", "One", "0", "1").stream().map(dockerfile::stage))
                .containsExactly(
                        "maestro-stage-2-one", "maestro-stage-2-one", "maestro-stage-0-one", "maestro-stage-1");
        for (String none : List.of("", "3", "two")) {
            assertThatThrownBy(() -> dockerfile.stage(none)).hasMessageContaining("has no stage '" + none + "'");
        }
    }

    /** As BuildKit reads what is written, with all the white space that it knows, no image is named but by the rule for images. */
    @Test
    void noImageIsNamedThatWasNotAskedFor() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int written = 0;
        for (int i = 0; i < 30_000; i++) {
            StringBuilder text = new StringBuilder("FROM a AS s\n");
            for (int line = random.nextInt(6); line >= 0; line--) {
                for (char c : LINES.get(random.nextInt(LINES.size())).toCharArray()) {
                    text.append(c == ' ' && random.nextInt(8) == 0 ? BLANKS.get(random.nextInt(BLANKS.size())) : c);
                }
                text.append('\n');
            }
            String confined;
            try {
                confined = confined(text.toString());
            } catch (IllegalArgumentException e) {
                continue;
            }
            written++;
            assertThat(imagesAsBuildkitReadsThem(confined))
                    .as("seed %s: %s became %s", seed, text, confined)
                    .allMatch(name -> name.startsWith("alias/"));
        }
        assertThat(written).as("seed %s", seed).isGreaterThan(300);
    }

    private static final List<String> LINES = List.of(
            "FROM a AS t",
            "FROM s AS t",
            "FROM t",
            "COPY --from=s a b",
            "COPY --from=t a b",
            "COPY --chown=1 --from=0 a b",
            "RUN --mount=from=t,target=/x id",
            "RUN true",
            "RUN cat <<E",
            "RUN cat <<-E",
            "RUN cat << E",
            "RUN cat <<\"RUN true\"",
            "RUN : ' <<E",
            "RUN : ${A} <<E",
            "COPY x <<\"RUN true\" /y/",
            "COPY <<E /y/",
            "E",
            "E");
    private static final List<String> BLANKS = List.of(
            "\t", "  ", "\n", " \\\n", " \u2003", "\u2003", "\u00a0", " $A ", " '", " \"", " \\", " << ", " --from=t ");
    private static final Pattern WORD =
            Pattern.compile("(?:\"[^\"]*\"|'[^']*'|<<(?!<)-?\\p{IsWhite_Space}*|[^\\p{IsWhite_Space}\"']|[\"'])+");

    private static final Pattern PLAIN_WORD = Pattern.compile("\\P{IsWhite_Space}+");

    /** Only what names images and stages. A line of one word is none of them. */
    private static List<String> imagesAsBuildkitReadsThem(String text) {
        List<String> images = new ArrayList<>();
        List<String> stages = new ArrayList<>();
        Deque<String> lines = new ArrayDeque<>(List.of(text.split("\n")));
        while (!lines.isEmpty()) {
            String line = lines.remove();
            Pattern word = line.startsWith("FROM") ? PLAIN_WORD : WORD;
            List<String> words =
                    word.matcher(line).results().map(MatchResult::group).toList();
            List<String> named = new ArrayList<>();
            if (words.get(0).equals("FROM")) {
                named.add(words.get(1));
            }
            words.stream()
                    .skip(1)
                    .takeWhile(flag -> flag.startsWith("--"))
                    .filter(flag -> flag.contains("from="))
                    .forEach(flag -> named.add(flag.replaceAll(".*from=|,.*", "")));
            named.removeAll(stages);
            images.addAll(named);
            if (words.get(0).equals("FROM")) {
                stages.add(words.get(words.size() - 1));
            }
            if (words.get(0).matches("RUN|COPY")) {
                words.stream()
                        .filter(begin -> begin.matches("<<-?\\p{IsWhite_Space}*[^<\\p{IsWhite_Space}].*"))
                        .map(begin -> begin.replaceAll("^<<-?\\p{IsWhite_Space}*|[\"']", ""))
                        .forEach(end -> {
                            while (!lines.isEmpty() && !lines.poll().equals(end)) {}
                        });
            }
        }
        return images;
    }

    /** A heredoc is left as it is. */
    @Test
    void eachStageBeginsAsAsked() {
        assertThat(plain().of(
                                "FROM a AS b\nLABEL $X=1\nRUN <<E\nLABEL x=1\nFROM c\nE\nFROM scratch\n",
                                List.of(new DockerfileReader.Instruction("LABEL", List.of(), "k=\"v\"", List.of()))))
                .isEqualTo("FROM a AS maestro-stage-0-b\nLABEL k=\"v\"\nRUN <<E\nLABEL x=1\nFROM c\nE\n"
                        + "FROM scratch AS maestro-stage-1\nLABEL k=\"v\"\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RUN <<E", "RUN --mount=type=cache,target=/x id"})
    void whatAnOlderBuilderDoesNotKnowIsRefusedWithAReason(String line) {
        String body = line.contains("<<") ? "\nid\nE\n" : "\n";
        assertThatThrownBy(() -> confined("FROM a\n" + line + body, new Abilities(false, false)))
                .hasMessageContaining("builder of this engine");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[\"ADD http://127.0.0.1/x /x\"]",
                "[\"ADD . /x\"]",
                "[\"COPY . /x\", \"RUN --network=host id\"]",
                "[\"COPY . /x\"]",
                "[\"RUN id\"]",
                "[\"WORKDIR /x\"]",
                "[\"HEALTHCHECK --start-interval=1ms CMD id\"]",
                "[\"RUN a\\nADD http://a /x\"]",
                "[\"FROM a\"]",
                "[\"AD\\\\\\nD http://a /x\"]"
            })
    void triggersOfABaseAreLookedAt(String triggers) {
        assertThatThrownBy(() -> confined("FROM base", ALL, "{\"OnBuild\":" + triggers + "}"))
                .hasMessageContaining("starts FROM 'base', whose ONBUILD");
        confined("FROM base", ALL, "{\"OnBuild\":[\"ENV A=b\", \"LABEL a=b\", \"CMD id\"]}");
    }

    /** The builder does it in its own process, and keeps all of it. */
    @Test
    void whatABuilderExpandsIsBounded() {
        String env = "ENV A=x\n";
        for (String text : List.of(
                env + "ENV A=$A$A\n".repeat(17),
                "ENV A xx\n" + "ENV A ${A}${A}\n".repeat(16),
                "ARG A=x\n" + "ARG A=${A:-b}$A\n".repeat(17),
                env + "ARG B=$A$A\nENV A=$B$B\n".repeat(9),
                env + "ONBUILD ENV A=$A$A\n".repeat(17),
                env + "ENV A='a\\' B=\"$A$A\" C=$B$B A=$C$C\n".repeat(7),
                env + "ENV B=${A//x/yy}\n",
                "ENV A=" + "x".repeat(60_000) + "\nCOPY a /" + "$A".repeat(20) + "\n",
                "ENV A=" + "x".repeat(60_000) + "\nCOPY <<E /a\n" + "$A\n".repeat(20) + "E\n",
                "ENV A=" + "x".repeat(60_000) + "\n" + "COPY --chown=$A a /b\n".repeat(20),
                "ENV" + " A=b".repeat(30) + "\nENV " + "x".repeat(66_000) + "=1\n",
                IntStream.range(0, 1001).mapToObj(i -> " A" + i + "=1").collect(Collectors.joining("", "ENV", "\n")),
                "USER a\n".repeat(1001))) {
            assertThatThrownBy(() -> confined("FROM a\n" + text))
                    .as(text.substring(0, Math.min(60, text.length())))
                    .hasMessageMatching("(?s).*(more than 1000|longer than|replaces a part).*");
        }
        String large = "{\"Env\":[\"A=" + "x".repeat(40_000) + "\"]}";
        assertThatThrownBy(() -> confined("FROM a\nENV B=$A$A\n", ALL, large)).hasMessageContaining("more than 65536");
        String trigger = "{\"Env\":[\"A=x\"],\"OnBuild\":[" + "\"ENV A=$A$A\",".repeat(17) + "\"CMD id\"]}";
        assertThatThrownBy(() -> confined("FROM a\n", ALL, trigger)).hasMessageContaining("more than 65536");
        // What projects write.
        confined(
                "FROM a\n" + "ENV M2=/opt/m2 PATH=$M2/bin:$JAVA_HOME/bin:$PATH\nRUN A=${A//x/y}; id $A\n".repeat(100),
                ALL,
                "{\"Env\":[\"JAVA_HOME=/usr/lib/jvm/17\",\"PATH=/usr/local/sbin:/usr/local/bin:/bin\"]}");
    }

    @Test
    void whatNoCommandSeesIsLeftOut() {
        assertThat(confined("FROM a\nVOLUME /w/x\nEXPOSE 1-65535\nONBUILD VOLUME [\"/x\"]\nRUN <<E\nVOLUME /x\nE\n"))
                .isEqualTo("FROM alias/a AS maestro-stage-0\nRUN <<E\nVOLUME /x\nE\n");
    }

    /** Each took hours, or the stack. */
    @Test
    void whatIsLongIsReadAtOnce() {
        int most = 256 << 10;
        for (String text : new String[] {
            "\n".repeat(most),
            "FROM a\nRUN x \\\n" + " \n".repeat(most / 2),
            "FROM a\nRUN " + "--network=none ".repeat(most / 15),
            "ONBUILD ".repeat(most / 8),
            "FROM a\nRUN <<A\n" + "x\\\n".repeat(most / 3),
            "FROM a\n" + "RUN --mount=type=cache,target=/x id\n".repeat(most / 36),
            "FROM a AS a\n".repeat(most / 12),
            "ARG A=" + "x".repeat(1000) + "\n" + "ARG A=$A$A$A\n".repeat(most / 13) + "FROM $A",
            "FROM a\nRUN " + "<<".repeat(most / 2),
            "FROM a\nRUN " + "'<< ".repeat(most / 4),
            "FROM a\nRUN id" + " ".repeat(most) + "x",
            "\\\n".repeat(most / 2),
        }) {
            assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
                try {
                    confined(text);
                } catch (IllegalArgumentException e) {
                    assertThat(e.getMessage()).hasSizeLessThan(500);
                }
            });
        }
    }
}
