package io.maestro.docker.testing;

import java.io.PrintWriter;
import java.util.List;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.MethodFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A process that runs some of the short tests; its environment says on which engine. */
public final class ChosenTests {
    private ChosenTests() {}

    /** Takes names of classes, each also with a method after {@code #}; ends with 0 when tests were run and none has failed. */
    public static void main(String[] tests) {
        List<String> names = List.of(tests);
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(names.stream()
                        .map(name -> name.replaceFirst("#.*", ""))
                        .distinct()
                        .map(DiscoverySelectors::selectClass)
                        .toList())
                .filters(
                        TagFilter.excludeTags("full"),
                        MethodFilter.includeMethodNamePatterns(names.stream()
                                .map(name -> name.contains("#") ? name : name + "#.*")
                                .toList()))
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        TestExecutionSummary summary = listener.getSummary();
        PrintWriter out = new PrintWriter(System.out, true);
        summary.printFailuresTo(out, 40);
        out.println("tests: " + summary.getTestsSucceededCount() + " of " + summary.getTestsFoundCount());
        boolean succeeded = summary.getTotalFailureCount() == 0
                && summary.getTestsFoundCount() > 0
                && summary.getTestsSucceededCount() == summary.getTestsFoundCount();
        System.exit(succeeded ? 0 : 1);
    }
}
