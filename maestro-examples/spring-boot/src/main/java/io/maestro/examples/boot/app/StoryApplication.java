package io.maestro.examples.boot.app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Takes stories over HTTP and has them done. */
@SpringBootApplication
public class StoryApplication {
    /**
     * Starts the server.
     *
     * @param args properties, for example {@code --maestro.repository=URL}
     */
    public static void main(String[] args) {
        SpringApplication.run(StoryApplication.class, args);
    }
}
