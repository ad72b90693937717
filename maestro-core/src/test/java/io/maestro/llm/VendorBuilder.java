package io.maestro.llm;

import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The builder of either vendor's client, by what both have. */
record VendorBuilder(Object builder, Consumer<UnaryOperator<ConnectionOptions>> changes, Supplier<LlmClient> client) {
    static VendorBuilder of(AnthropicClient.Builder builder) {
        return new VendorBuilder(builder, builder::connection, builder::build);
    }

    static VendorBuilder of(OpenAiClient.Builder builder) {
        return new VendorBuilder(builder, builder::connection, builder::build);
    }

    VendorBuilder connection(UnaryOperator<ConnectionOptions> change) {
        changes.accept(change);
        return this;
    }

    LlmClient build() {
        return client.get();
    }

    @Override
    public String toString() {
        return builder.toString();
    }
}
