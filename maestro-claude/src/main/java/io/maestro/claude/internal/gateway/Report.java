package io.maestro.claude.internal.gateway;

import io.maestro.claude.GatewayClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the host once what an answer has used. For one thread. */
final class Report {
    private static final Logger LOG = LoggerFactory.getLogger(Report.class);

    private final GatewayClient host;
    private final Meter meter;
    private boolean made;

    Report(GatewayClient host, Meter meter) {
        this.host = host;
        this.meter = meter;
    }

    void make() {
        Counted counted = meter.counted();
        if (made || !counted.any()) {
            return;
        }
        made = true;
        try {
            host.used(counted.model(), counted.usage());
        } catch (RuntimeException e) {
            LOG.error(
                    "the host of the API gateway did not take note of {} for {}", counted.usage(), counted.model(), e);
        }
    }
}
