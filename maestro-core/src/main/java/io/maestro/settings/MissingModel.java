package io.maestro.settings;

import io.maestro.error.MaestroException;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;

/** Stands where an architect that is no model has taken the model's place, and cannot do what only a model can. */
final class MissingModel implements LlmClient {
    /** In the place of the architect's model. */
    public MissingModel() {}

    @Override
    public String model() {
        return "none";
    }

    @Override
    public LlmResponse complete(LlmRequest request) {
        throw new MaestroException("the architect has no model, which is needed in "
                + request.origin().state() + ": set it by Maestro.builder().architectModel(…)");
    }
}
