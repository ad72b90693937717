package io.maestro.docker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DockerfileCheckTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "RUN --network=host id",
                "run --mount=type=cache,target=/x \\\n  --network=host id",
                "  RUN\t--security=insecure id",
                "RUN\u000b--network=host id",
                "RUN --net\"work\"=host id",
                "RUN --network='host' id",
                "RUN --n\\etwork=host id",
                "RUN --mount=\"type=cache,target=/a b\" --network=host id",
                "RUN --network=$NET id",
                "RUN \\\n# a remark\n --network=host id",
                "RUN \\\n\n --network=host id",
                "ONBUILD RUN --network=host id",
                "onbuild\trun --network=host id",
                "# escape=`\nRUN `\n --network=host id",
                "RUN echo `\nRUN --network=host id",
                "RUN echo \\\n\nFROM b\nRUN --network=host id",
                "\uFEFFRUN --network=host id",
                "RUN <<'E\\'\nE\\\nRUN --network=host id",
                "RUN <<E\\\\\nE\\\nRUN --network=host id"
            })
    void aCommandWithTheMachinesOwnIsFound(String dockerfile) {
        assertThat(DockerfileCheck.ofCommands("FROM a\n" + dockerfile + "\n")).isPresent();
        assertThat(DockerfileCheck.ofCommands(dockerfile)).isPresent();
        assertThat(DockerfileCheck.ofUntrusted("FROM a\r\n" + dockerfile.replace("\n", "\r\n")))
                .isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ADD http://127.0.0.1:8080/x /x",
                "add --chmod=755 HTTPS://a/x /x",
                "ADD a \\\n http://a/x /x",
                "ADD a \\\n# a remark\n http://a/x /x",
                "ADD [\"http://a/x\", \"/x\"]",
                "ADD [ \"h\\u0074tp:\\u002f/a/x\", \"/x\" ]",
                "ADD ht\"tp:/\"/a/x /x",
                "ARG A=http:\nADD ${A}//a/x /x",
                "ADD $A /x",
                "ADD git@example.org:a/b.git /x",
                "ADD ssh://git@example.org/a.git /x",
                "ONBUILD ADD http://a/x /x",
                "# syntax=evil/frontend:1\nFROM a",
                "#syntax = evil",
                "// syntax=evil",
                "{\"syntax\": \"evil\"}"
            })
    void whatTheMachineWouldFetchIsFound(String dockerfile) {
        assertThat(DockerfileCheck.ofUntrusted(dockerfile + "\n")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "# syntax=docker/dockerfile:1\nFROM a\nRUN --mount=type=cache,target=/root/.m2 mvn verify",
                "# syntax=docker.io/docker/dockerfile:1.7-labs\nFROM a",
                "ADD app.tar.gz /opt/",
                "ADD --chown=a:b x.tar ${HOME}/",
                "ADD [\"a b.tar\", \"/x/\"]",
                "COPY $JAR /app.jar",
                "RUN curl -O https://example.org/x && echo --network=host",
                "RUN --network=none docker run --network=host x",
                "RUN printf 'std::cout << \"a\\n\" << b;' > a.cc",
                "RUN cat <<EOF > /a \\\n && true\n{\nEOF",
                "# ADD http://a/x /x",
                "ENV ADD=http://a"
            })
    void theUsualIsFine(String dockerfile) {
        assertThat(DockerfileCheck.ofUntrusted(dockerfile + "\n")).isEmpty();
    }
}
