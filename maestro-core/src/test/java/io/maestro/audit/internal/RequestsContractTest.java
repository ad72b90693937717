package io.maestro.audit.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.audit.Requests;
import io.maestro.audit.Store;
import io.maestro.testkit.contract.RequestsContract;
import io.maestro.testkit.contract.Samples;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract on every database. */
@ParameterizedClass
@EnumSource(Backend.class)
class RequestsContractTest extends RequestsContract {
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
            Requests requests = clean.requests();
            requests.open(Samples.effect("e1"), Samples.AT.plusSeconds(60), 2);
            requests.reply("e1", "hunter2", true, "it is hunter2", "{}", Samples.AT);
            requests.reply("e1", "bob", true, "", "{\"message\":\"hunter2\"}", Samples.AT);
            Requests.Row row = requests.find("e1").orElseThrow();
            assertThat(row.toString()).contains("[secret]").doesNotContain("hunter2");
        }
    }
}
