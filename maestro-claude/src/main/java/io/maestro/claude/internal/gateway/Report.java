package io.maestro.claude.internal.gateway;

import io.maestro.claude.GatewayClient;
import io.maestro.llm.Usage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the host once how a request has ended. For one thread. */
final class Report implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Report.class);

    /** Null for a request that costs nothing, and when it has ended. */
    private GatewayClient.@Nullable Exchange exchange;

    /** Not looked at where there is no exchange. */
    private final GatewayClient.Request request;

    private final ApiCall call;
    private boolean mayBeCharged;

    /** @param exchange null for a request that costs nothing */
    Report(GatewayClient.@Nullable Exchange exchange, GatewayClient.Request request, ApiCall call) {
        this.exchange = exchange;
        this.request = request;
        this.call = call;
    }

    /** It is sent: from now on the API may charge it. */
    void sent() {
        mayBeCharged = true;
    }

    /** The API has refused it, or was not reached. */
    void refused() {
        mayBeCharged = false;
    }

    /** Tells what an answer has used, once that is known. */
    void whole(Counted counted) {
        if (counted.isWhole()) {
            used(counted.model(), counted.usage(request), true);
        }
    }

    /** Tells what an answer has used that is over, whether or not its end was seen. */
    void over(Counted counted) {
        if (counted.any() || counted.isWhole()) {
            used(counted.model(), counted.usage(request), counted.isWhole());
        }
    }

    private void used(String model, Usage usage, boolean answered) {
        GatewayClient.Exchange open = exchange;
        exchange = null;
        if (open == null) {
            return;
        }
        try {
            if (answered) {
                open.used(model, usage);
            } else {
                open.unanswered(model, usage);
            }
        } catch (RuntimeException e) {
            LOG.error("the host of the API gateway did not take note of {} for {}", usage, model, e);
        }
    }

    /**
     * Tells that it has failed, unless it was answered. A client that did not wait for the answer has used what the answer may
     * have had: the API has been asked for it.
     */
    @Override
    public void close() {
        if (mayBeCharged && call.givenUp()) {
            used(request.model(), Counted.most(request), false);
        }
        GatewayClient.Exchange open = exchange;
        exchange = null;
        if (open == null) {
            return;
        }
        try {
            open.failed(mayBeCharged);
        } catch (RuntimeException e) {
            LOG.error("the host of the API gateway did not take note of a request that has failed", e);
        }
    }
}
