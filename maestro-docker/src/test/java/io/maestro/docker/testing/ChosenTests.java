package io.maestro.docker.testing;

import java.io.PrintWriter;
import java.util.List;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.MethodFilter;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A process that runs some of the short tests, and those of the full tier that are named; its environment says on which engine. */
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
                        (PostDiscoveryFilter) test -> FilterResult.includedIf(isShort(test) || isNamed(test, names)),
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

    private static boolean isShort(TestDescriptor test) {
        return !test.getTags().contains(TestTag.create("full"));
    }

    private static boolean isNamed(TestDescriptor test, List<String> names) {
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .filter(method -> names.contains(method.getClassName() + "#" + method.getMethodName()))
                .isPresent();
    }
}
