package io.maestro.docker;

import io.maestro.docker.testing.TestContainer;
import io.maestro.exec.Executor;
import io.maestro.testkit.contract.ExecutorContract;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The contract on one container. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DockerContract extends ExecutorContract {
    private final String program;
    private final String image;
    private final boolean fastPath;
    private final String[] options;
    private TestContainer container;
    private DockerExecutor docker;

    /** @param options further ones of {@code run} */
    DockerContract(String program, String image, boolean fastPath, String... options) {
        this.options = options;
        this.program = program;
        this.image = image;
        this.fastPath = fastPath;
    }

    @BeforeAll
    void startContainer() {
        container = new TestContainer(program, image, options);
        docker = DockerExecutor.builder(DockerHost.builder().program(program).build(), container.name())
                .fastPath(fastPath)
                .build();
    }

    @AfterAll
    void removeContainer() {
        if (docker != null) {
            docker.close();
        }
        if (container != null) {
            container.close();
        }
    }

    @Override
    protected Executor executor(Path directory) {
        return docker;
    }

    @Override
    protected Duration shortLimit() {
        return Duration.ofSeconds(3);
    }
}
