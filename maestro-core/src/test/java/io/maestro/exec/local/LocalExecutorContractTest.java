package io.maestro.exec.local;

import io.maestro.exec.Executor;
import io.maestro.testkit.contract.ExecutorContract;
import java.nio.file.Path;

class LocalExecutorContractTest extends ExecutorContract {
    @Override
    protected Executor executor(Path directory) {
        return LocalExecutor.builder(directory).build();
    }
}
