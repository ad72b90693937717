package io.maestro.claude.internal.gateway;

import io.maestro.claude.GatewayClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the host once how a request has ended. For one thread. */
final class Report implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Report.class);

    /** Null for a request that costs nothing, and when it has ended. */
    private GatewayClient.@Nullable Exchange exchange;

    private boolean mayBeCharged;

    Report(GatewayClient.@Nullable Exchange exchange) {
        this.exchange = exchange;
    }

    /** It is sent: from now on the API may charge it. */
    void sent() {
        mayBeCharged = true;
    }

    /** The API has refused it, or was not reached. */
    void refused() {
        mayBeCharged = false;
    }

    /** Tells what an answer has used, if that is known. */
    void make(Counted counted) {
        GatewayClient.Exchange open = exchange;
        if (open == null || !counted.any()) {
            return;
        }
        exchange = null;
        try {
            open.used(counted.model(), counted.usage());
        } catch (RuntimeException e) {
            LOG.error(
                    "the host of the API gateway did not take note of {} for {}", counted.usage(), counted.model(), e);
        }
    }

    /** Tells that it has failed, unless it was answered. */
    @Override
    public void close() {
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
