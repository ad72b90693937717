package io.maestro.budget.internal;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Spending;
import io.maestro.record.internal.Store;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A request to a model that may be sent. Whoever has it ends it once: by {@link #record} or {@link #failed}. One that is never
 * ended counts with what it may cost at most. Safe for use by several threads.
 */
public final class PaidRequest {
    private final CostControl control;
    private final Spending.CostReservation request;
    private final Usage most;
    private final AtomicBoolean reserved;

    PaidRequest(CostControl control, Spending.CostReservation request, Usage most, boolean reserved) {
        this.control = control;
        this.request = request;
        this.most = most;
        this.reserved = new AtomicBoolean(reserved);
    }

    /**
     * Asks the model. The answer must be {@linkplain #record recorded}; a failure has ended the request. An answer that does not
     * say what it has used has used what it may have at most.
     */
    public LlmResponse send(LlmClient model, LlmRequest question, LlmStreamListener listener) {
        try {
            LlmResponse response = model.complete(question, listener);
            if (response == null) {
                throw new LlmException(model.getClass().getName() + " returned null instead of an answer", null, true);
            }
            return response.usage() != null
                    ? response
                    : new LlmResponse(response.model(), response.content(), response.stopReason(), most);
        } catch (RuntimeException | Error e) {
            failed(mayBeCharged(e));
            throw e;
        }
    }

    /** Of what is not known not to be charged, the answer may have been written and lost on its way. */
    private static boolean mayBeCharged(Throwable failure) {
        return failure instanceof LlmUnavailableException unavailable
                ? unavailable.mayBeCharged()
                : !(failure instanceof LlmException refused) || refused.mayBeCharged();
    }

    /**
     * Ends the request with its answer: the message and its cost are written together.
     *
     * @param message names the model that has answered, whose price goes first
     * @param usage what the answer has used
     */
    public void record(Store store, AuditLog.Message message, Usage usage) {
        Optional<BigDecimal> dollars =
                control.price(String.valueOf(message.model()), usage).or(() -> control.price(request.model(), usage));
        if (dollars.isEmpty()) {
            store.recordMessage(message);
        } else {
            store.recordAnswer(message, request, dollars.get());
        }
        reserved.set(false);
    }

    /**
     * Ends the request without an answer.
     *
     * @param charged whether it may be charged: then it counts with what it may cost at most
     */
    public void failed(boolean charged) {
        if (reserved.compareAndSet(true, false)) {
            control.settle(request, charged ? request.most() : BigDecimal.ZERO);
        }
    }
}
