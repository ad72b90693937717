package io.maestro.audit.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.audit.Cancellations;
import io.maestro.audit.Store;
import io.maestro.testkit.contract.CancellationsContract;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract on every database. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Backend.class)
class CancellationsContractTest extends CancellationsContract {
    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private @Nullable String url;

    @Override
    protected Store open() {
        return Backend.open(url());
    }

    private String url() {
        if (url == null) {
            url = backend.newRecord(directory);
        }
        return url;
    }

    @Test
    void whatPeopleSayIsFreeOfSecrets() {
        try (Store clean = Backend.open(url(), text -> text.replace("hunter2", "[secret]"))) {
            Cancellations wishes = clean.cancellations();
            wishes.ask("042", "hunter2", "it is hunter2");
            assertThat(wishes.of("042"))
                    .extracting(Cancellations.Wish::by)
                    .containsExactly("by [secret]: it is [secret]");
        }
    }
}
