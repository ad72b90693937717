package io.maestro.environment.internal;

import io.maestro.environment.Environments;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.testkit.contract.EnvironmentContract;
import java.nio.file.Path;
import java.util.List;

class LocalEnvironmentContractTest extends EnvironmentContract {
    @Override
    protected Environments open(Path directory) {
        return new LocalEnvironments(
                workspace -> LocalExecutor.builder(workspace).build(), directory, List::of);
    }
}
