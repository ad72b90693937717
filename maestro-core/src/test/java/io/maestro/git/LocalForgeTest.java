package io.maestro.git;

import io.maestro.TestRepository;

class LocalForgeTest extends ForgeContract {
    @Override
    Forge forge(TestRepository repository) {
        return new LocalForge();
    }
}
