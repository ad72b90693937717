package io.maestro;

import static org.assertj.core.api.Assertions.fail;

import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.llm.AnthropicClient;
import io.maestro.record.CostScope;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Repositories, directories, models and limits. */
class MisuseTest extends Misuses {
    @TestFactory
    Stream<DynamicTest> repositories() throws IOException {
        Path work = Files.createDirectory(directory.resolve("work"));
        git(work, "init", "--quiet", "--initial-branch=main");
        git(work, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--quiet", "--allow-empty", "-m", "first");
        Path detached = directory.resolve("detached");
        git(directory, "clone", "--quiet", work.toString(), detached.toString());
        git(detached, "checkout", "--quiet", "--detach");
        git(detached, "remote", "remove", "origin");
        Path plain = Files.createDirectory(directory.resolve("plain"));
        TestRepository other = TestRepository.create(fresh(), Map.of("other", "o"));
        Path empty = directory.resolve("empty.git");
        git(directory, "init", "--quiet", "--bare", empty.toString());

        thrown(
                "no repository",
                () -> Maestro.builder()
                        .projectDirectory(fresh())
                        .coderModel(script())
                        .build(),
                "repository must be set: by Maestro.builder().repository(…), or git.repository in .maestro/config.json");
        thrown(
                "a working copy as the project directory",
                () -> on(other.url()).projectDirectory(work).build(),
                work.toString(),
                "is a working copy of git",
                "name a directory beside it");
        failing(
                "a path that is not there",
                () -> on(directory.resolve("nope.git").toString()),
                "nope.git",
                "git init --bare");
        failing(
                "a directory that is no repository",
                () -> on(plain.toString()),
                "plain",
                "does not appear to be a git repository");
        failing("a repository without a commit", () -> on(empty.toString()), "empty.git", "push a first commit");
        failing(
                "a branch that is not there",
                () -> on(work.toString()).git(git -> git.targetBranch("release")),
                "has no branch 'release'; it has main");
        failing(
                "the branch is checked out",
                () -> on(work.toString()),
                "the branch 'main' is checked out in",
                "use a bare clone (git clone --bare");
        failing("a detached HEAD", () -> on(detached.toString()), "detached", "set the target branch to one of main");
        thrown(
                "a URL like an option",
                () -> on("--upload-pack=x").build(),
                "the repository is refused: it starts with '-'");
        thrown(
                "a scheme that nobody knows",
                () -> on("ftp://host/x.git").build(),
                "'ftp://host' is refused: use one of [file, git,");
        thrown(
                "a branch name that git refuses",
                () -> {
                    try (Maestro maestro =
                            good().git(git -> git.targetBranch("a..b")).build()) {
                        throw new MaestroException(error(maestro, "1"), null);
                    }
                },
                "'a..b' is not the name of a branch");
        said(
                "a server that is not there",
                () -> checked(on("http://127.0.0.1:1/x.git")),
                "FAILED REPOSITORY",
                "http://127.0.0.1:1/x.git");
        URI refusing = server(401, "");
        failing("a server that wants a password", () -> on(refusing + "/x.git"), refusing.toString(), "credential");
        thrown(
                "a file as the project directory",
                () -> {
                    Path file = Files.writeString(directory.resolve("file"), "x");
                    Maestro.builder()
                            .projectDirectory(file)
                            .repository(work.toString())
                            .coderModel(script())
                            .build()
                            .close();
                },
                directory.resolve("file").toString());
        thrown(
                "two at once in one directory",
                () -> {
                    Path project = fresh();
                    try (Maestro first = on(work.toString())
                                    .projectDirectory(project)
                                    .build();
                            Maestro second = on(work.toString())
                                    .projectDirectory(project)
                                    .build()) {
                        fail(first + " " + second);
                    }
                },
                "uses the project directory",
                "close it first, or give this one a directory of its own");
        thrown(
                "a directory of another repository",
                () -> {
                    Path project = fresh();
                    try (Maestro first = good().projectDirectory(project).build()) {
                        error(first, "1");
                    }
                    on(other.url()).projectDirectory(project).build().close();
                },
                other.url(),
                "project directory");
        return cases.stream();
    }

    @TestFactory
    Stream<DynamicTest> models() throws IOException {
        thrown(
                "no model",
                () -> Maestro.builder()
                        .projectDirectory(fresh())
                        .repository("/x.git")
                        .build(),
                "coderModel must be set: by Maestro.builder().coderModel(…), or agents.coder_model in"
                        + " .maestro/config.json");
        thrown(
                "no key",
                () -> AnthropicClient.builder("claude-sonnet-5")
                        .fromEnvironment(Map.of())
                        .build(),
                "no API key for claude-sonnet-5: set ANTHROPIC_API_KEY in the environment, or call apiKey(…)");
        thrown(
                "a key with a blank inside",
                () -> AnthropicClient.builder("m").apiKey("sk ant"),
                "has characters that no key has, such as blanks",
                "copy it again");
        thrown(
                "a model without a name",
                () -> AnthropicClient.builder(" "),
                "the model's name is blank: give one, for example claude-sonnet-5");
        thrown(
                "a model of nobody",
                () -> config("{\"agents\":{\"coder_model\":\"gemini\"}}").build(),
                "$.agents.coder_model: it is not known who offers the model \"gemini\"; write anthropic:<model> or openai:<model>");
        thrown(
                "a base URL without a scheme",
                () -> AnthropicClient.builder("m").baseUrl(URI.create("localhost:8080")),
                "a base URL begins with https:// and a host");
        thrown(
                "a limit in dollars for a model without a price",
                () -> good().limits(Limits.builder()
                                .costCap(CostScope.TOTAL, BigDecimal.ONE)
                                .build())
                        .build(),
                "the price of the model scripted",
                "set its price by agents(agents -> agents.prices(…)) of the builder, or models.prices");
        for (Map.Entry<Integer, String> answer : Map.of(401, "API key", 404, "model's name", 400, "credit balance")
                .entrySet()) {
            URI url = server(
                    answer.getKey(), "{\"error\":{\"type\":\"x\",\"message\":\"your credit balance is too low\"}}");
            failing(
                    "the service answers " + answer.getKey(),
                    () -> good().coderModel(AnthropicClient.builder("claude-sonnet-5")
                            .apiKey("key-of-a-test")
                            .baseUrl(url)
                            .build()),
                    "claude-sonnet-5",
                    "HTTP " + answer.getKey(),
                    answer.getValue());
        }
        said(
                "a service that is not there",
                () -> checked(good().coderModel(AnthropicClient.builder("claude-sonnet-5")
                        .apiKey("key-of-a-test")
                        .baseUrl(URI.create("http://127.0.0.1:1"))
                        .build())),
                "FAILED CODER",
                "the service at http://127.0.0.1:1 cannot be reached: the connection is refused",
                "check the base URL (ANTHROPIC_BASE_URL)");
        thrown(
                "negative dollars",
                () -> Limits.builder().costPerStory(new BigDecimal("-1")),
                "costPerStory must be more than zero, is -1");
        thrown("no turns", () -> Limits.builder().turnsPerState(0), "turnsPerState must be more than zero, is 0");
        thrown(
                "no time",
                () -> Limits.builder().timePerStory(Duration.ZERO),
                "timePerStory must be more than zero, is PT0S");
        thrown("no coders", () -> Maestro.builder().maxCoders(0), "maxCoders must be from 1 to 999, is 0");
        thrown(
                "a temperature of a thousand",
                () -> config("{\"agents\":{\"coder_model\":\"claude-x\",\"temperatures\":{\"coding\":1000}}}")
                        .build(),
                "$.agents.temperatures.coding: must be at most 1, is 1000");
        return cases.stream();
    }
}
