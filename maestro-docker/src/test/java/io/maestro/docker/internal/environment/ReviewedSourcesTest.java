package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.internal.Image;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.ImageCheck;
import io.maestro.environment.Phase;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept or judged comes from reviewed files and the host's images, whatever the agent has built and brought up. */
@RequiresEngine
class ReviewedSourcesTest {
    @TempDir
    Path directory;

    private TestImages images;
    private Bench bench;
    private DockerProject project;
    private StoryEnvironment environment;
    private Path checkout;

    @BeforeEach
    void open() throws IOException {
        images = TestImages.ofDocker();
        bench = new Bench(directory, images, images.base());
        project = bench.open(Map.of());
        environment = Bench.environment(project, bench.place("7"));
        checkout = Files.createDirectories(directory.resolve(".maestro/checkouts/one"));
        Files.createDirectories(checkout.resolve(".git"));
    }

    @AfterEach
    void close() {
        environment.close();
        bench.close();
    }

    private Image built(String tag, String dockerfile, Map<String, String> arguments) {
        bench.write("Dockerfile", dockerfile);
        return environment
                .images()
                .builds()
                .build(
                        environment.engine(),
                        environment.place(),
                        new BuildPlan("Dockerfile", ".", arguments),
                        environment.images().scoped(environment.place(), tag),
                        Duration.ofMinutes(2));
    }

    private ImageCheck check(Image image, String dockerfile) throws IOException {
        Files.writeString(checkout.resolve("Dockerfile"), dockerfile);
        return environment.check(image.id(), checkout);
    }

    /** Otherwise what nobody has reviewed would run the tests, and become the project's image. */
    @Test
    void anImageOfTheAgentsIsNoPartOfOneThatIsKept() throws IOException {
        Image base = built("jdk:17", "FROM " + images.busybox() + "\nENV OF=agent\n", Map.of());
        String scoped = environment.images().scoped(environment.place(), "jdk:17");
        for (String name : List.of("jdk:17", scoped, base.id(), base.id().substring(7, 19))) {
            for (String text : List.of(
                    "FROM " + name + "\n",
                    "FROM " + images.busybox() + "\nCOPY --from=" + name + " /bin/sh /bin/other\n")) {
                Image own = built("app:1", text, Map.of());
                ImageCheck check = check(own, text);
                assertThat(check.passed()).as("%s", text).isFalse();
                assertThat(check.report()).contains("cannot be built again", "may not be used here");
            }
        }
        String whole = "FROM " + images.busybox() + " AS jdk\nENV OF=review\nFROM jdk\nENV TO=app\n";
        assertThat(check(built("app:1", whole, Map.of()), whole).report()).startsWith("the container image is good");
    }

    /** Its value is text that a shell may run, and stands in no file. */
    @Test
    void anImageWithBuildArgumentsIsNotKept() throws IOException {
        String text =
                "FROM " + images.busybox() + "\nARG MIRROR=example\nRUN eval \"echo using $MIRROR\" >/tmp/mirror\n";
        Image image = built("app:1", text, Map.of("MIRROR", "x; touch /forged"));
        String why = "was built with build_args [MIRROR], whose values no review sees";
        assertThat(environment.images().whyNotOwn(environment.engine(), image).orElseThrow())
                .startsWith(why);
        assertThat(check(image, text).report()).contains(why);
        assertThatThrownBy(() -> environment.adopt(image.id())).hasMessageContaining(why);
        assertThat(check(built("app:1", text, Map.of()), text).passed()).isTrue();
    }

    /** What a command saw when the agent chose is no part of what is kept. */
    @Test
    void resultsOfTheAgentsCommandsAreNotTaken() throws IOException {
        String text = "FROM " + images.busybox() + "\nRUN cat /proc/sys/kernel/random/uuid >/seen\n";
        Image own = built("app:1", text, Map.of());
        assertThat(built("app:2", text, Map.of())).isEqualTo(own);
        assertThat(check(own, text).image()).isNotEqualTo(own.id());
    }

    /** Otherwise what a command has left in the workspace says how the next one ended. */
    @Test
    void theShellIsNotLookedForInTheWorkspace() throws IOException {
        String text = "FROM " + images.busybox() + "\nENV PATH=/workspace/bin:/bin\n";
        Image image = built("app:1", text, Map.of());
        int code = environment.runFresh(checkout, image.id(), executor -> {
            executor.run(ExecRequest.shell(
                            "mkdir bin; printf '#!/bin/busybox sh\\n/bin/busybox sh \"$@\"; exit 0\\n' >bin/sh; chmod 755 bin/sh")
                    .build());
            return executor.run(ExecRequest.shell("exit 7").build()).exitCode().orElseThrow();
        });
        assertThat(code).isEqualTo(7);
    }

    /** By way of a link no look at the name would tell. */
    @Test
    void anImageHidesNoFilesOfTheWorkspace() throws IOException {
        String text = "FROM " + images.busybox() + "\nRUN ln -s /workspace /w\nVOLUME /w/x /workspace/y\n";
        Image image = built("app:1", text, Map.of());
        assertThat(bench.cli().output("image", "inspect", "--format", "{{json .Config.Volumes}}", image.id()))
                .isIn("null", "{}");
        assertThat(check(image, text).report()).doesNotContain("VOLUME");
    }

    private static String service(String says, String image) {
        return "services:\n  web:\n    image: " + image + "\n    command: [sh, -c, 'mkdir /tmp/w; echo " + says
                + " > /tmp/w/index.html; exec httpd -f -p 8080 -h /tmp/w']\n    networks: {default: {aliases: [verdicts]}}\n";
    }

    private String asked() {
        return environment.runFresh(
                checkout,
                null,
                executor -> executor.run(ExecRequest.shell(
                                        "i=0; until wget -q -O - http://verdicts:8080/ || [ $i -gt 20 ]; do i=$((i+1)); sleep 0.2;"
                                                + " nslookup verdicts 2>&1 | grep -q -i 'find\\|bad\\|nxdomain' && break; done")
                                .build())
                        .stdout()
                        .text()
                        .strip());
    }

    /** A service of the agent's would answer for any other that tests ask. */
    @Test
    void testsThatDecideReachServicesOfTheReviewedFilesOnly() throws Exception {
        built("jdk:17", "FROM " + images.busybox() + "\nENV OF=agent\n", Map.of());
        environment.enter(Phase.CODING);
        bench.write("c.yml", service("FORGED", images.busybox()));
        assertThat(environment.services()).isEmpty();
        assertThat(environment
                        .stack()
                        .up("c.yml", List.of("web"), Duration.ofMinutes(2))
                        .ok())
                .isTrue();
        assertThat(environment.services()).isEqualTo("web:c.yml");

        assertThat(asked()).isEmpty();

        Files.writeString(checkout.resolve("c.yml"), service("reviewed", images.busybox()));
        assertThat(asked()).isEqualTo("reviewed");
        assertThat(Bench.sh(environment, "wget -q -O - http://verdicts:8080/")).isEqualTo("FORGED");
        assertThat(bench.containers(project)).hasSize(2);
        assertThat(bench.networks(project)).hasSizeLessThanOrEqualTo(2);

        Files.writeString(checkout.resolve("c.yml"), service("forged", "jdk:17"));
        assertThatThrownBy(this::asked)
                .isInstanceOf(ExecException.class)
                .hasMessageStartingWith("the services of c.yml (web) cannot be started: ")
                .hasMessageContaining("may not be used here");
        environment.stack().down();
        assertThat(environment.services()).isEmpty();
        assertThat(asked()).isEmpty();
    }
}
