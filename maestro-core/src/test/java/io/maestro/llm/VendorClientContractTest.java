package io.maestro.llm;

import io.maestro.llm.LoopbackApi.Answer;
import io.maestro.testkit.contract.LlmClientContract;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/** The contract over HTTP, with each vendor's client, streaming and not. */
class VendorClientContractTest {
    /** One vendor's client, with answers in one form. */
    abstract static class OverHttp extends LlmClientContract {
        private final Wire wire;
        private final List<AutoCloseable> servers = new ArrayList<>();

        OverHttp(Wire wire) {
            this.wire = wire;
        }

        @AfterEach
        void closeServers() throws Exception {
            for (AutoCloseable server : servers) {
                server.close();
            }
        }

        @Override
        protected LlmClient answering(LlmResponse... answers) {
            LoopbackApi api =
                    new LoopbackApi(Arrays.stream(answers).map(wire::answer).toArray(Answer[]::new));
            servers.add(api);
            return wire.client(api.url(), new FakeClock(0)).build();
        }

        @Override
        protected LlmClient hanging(CountDownLatch asked) {
            RawServer server = new RawServer(socket -> {
                asked.countDown();
                socket.getInputStream().read();
            });
            servers.add(server);
            return wire.client(server.url(), new FakeClock(0)).build();
        }
    }

    @Nested
    class Anthropic extends OverHttp {
        Anthropic() {
            super(Wire.ANTHROPIC);
        }
    }

    @Nested
    class AnthropicStream extends OverHttp {
        AnthropicStream() {
            super(Wire.ANTHROPIC_STREAM);
        }
    }

    @Nested
    class OpenAi extends OverHttp {
        OpenAi() {
            super(Wire.OPENAI);
        }
    }

    @Nested
    class OpenAiStream extends OverHttp {
        OpenAiStream() {
            super(Wire.OPENAI_STREAM);
        }
    }
}
