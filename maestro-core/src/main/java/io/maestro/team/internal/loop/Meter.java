package io.maestro.team.internal.loop;

import io.maestro.agent.Limits;
import io.maestro.budget.internal.Account;
import io.maestro.budget.internal.CostControl;
import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import io.maestro.record.StoreException;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.tools.ToolResult;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a story has cost so far, by all agents together, and how much of it was granted. Once the story's time is used up,
 * nothing that is {@linkplain #timed timed} is begun, and what is under way is stopped. Safe for use by several threads.
 */
public final class Meter {
    private static final Duration LONG = Duration.ofDays(365);

    private final Limits limits;
    /** What the tokens of a model cost, in US dollars; empty when its price is not known. */
    private final BiFunction<String, Usage, Optional<BigDecimal>> prices;

    /** Who pays. */
    private final Account account;

    private final WorkClock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Long answeredAt;
    private volatile Usage usage;
    private volatile BigDecimal cost;
    private volatile boolean priced;
    private volatile int grants;

    /** A story that begins, with models whose prices are not known. */
    public Meter(Limits limits) {
        this(limits, (model, used) -> Optional.empty());
    }

    /** A story that begins. */
    public Meter(Limits limits, BiFunction<String, Usage, Optional<BigDecimal>> prices) {
        this(
                limits,
                prices,
                new UsageTotals(Usage.NONE, BigDecimal.ZERO, true),
                Duration.ZERO,
                0,
                CostControl.unrecorded(limits, prices));
    }

    /** A story that goes on with what was used in an earlier life. */
    public Meter(
            Limits limits,
            BiFunction<String, Usage, Optional<BigDecimal>> prices,
            UsageTotals spent,
            Duration elapsed,
            int grants,
            Account account) {
        this.limits = limits;
        this.prices = prices;
        this.usage = spent.usage();
        this.cost = spent.cost();
        this.priced = spent.priced();
        this.clock = new WorkClock(elapsed);
        this.grants = grants;
        this.account = account;
    }

    /** Who pays for requests to models. */
    public Account account() {
        return account;
    }

    /**
     * Counts what was used.
     *
     * @param asked the model that was asked
     * @param answered the model that has answered, by its vendor's name; its price goes first
     * @param more what the answer has used
     * @throws MaestroException when the cost is limited and neither has a price; the tokens are counted then
     */
    public void add(String asked, String answered, Usage more) {
        Optional<BigDecimal> price = prices.apply(answered, more).or(() -> prices.apply(asked, more));
        lock.lock();
        try {
            usage = usage.plus(more);
            cost = cost.add(price.orElse(BigDecimal.ZERO));
            priced &= price.isPresent();
        } finally {
            lock.unlock();
        }
        if (price.isEmpty() && CostControl.isBounded(limits)) {
            throw CostControl.unknownPrice(answered, limits);
        }
    }

    /** A model has answered. */
    public void answered() {
        answeredAt = System.nanoTime();
    }

    /** When a model has answered last, in terms of {@link System#nanoTime()}; null when none has in this life. */
    public @Nullable Long answeredAt() {
        return answeredAt;
    }

    /** All tokens so far. */
    public Usage usage() {
        return usage;
    }

    /** The cost so far in US dollars, as far as prices are known. */
    BigDecimal cost() {
        return cost;
    }

    /** The cost so far in US dollars, if the prices of all models that were asked are known. */
    public Optional<BigDecimal> knownCost() {
        return priced ? Optional.of(cost) : Optional.empty();
    }

    /** The time that was worked so far, in earlier lives too. */
    public Duration elapsed() {
        return clock.elapsed();
    }

    /** Work begins, or goes on. */
    public void work() {
        clock.start();
    }

    /** What follows is a wait, for a reply or for a service: no budget of time counts it. */
    public void pause() {
        clock.stop();
    }

    /** How often more was granted. */
    public int grants() {
        return grants;
    }

    /** Grants tokens, time and cost once more. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    public void grant() {
        lock.lock();
        try {
            grants++;
        } finally {
            lock.unlock();
        }
    }

    /** Why the story must stop, if it must. */
    public Optional<String> exceeded() {
        // Divided, not multiplied: a limit may be as large as its type allows, which means none.
        long granted = grants + 1L;
        long tokens = usage.totalTokens();
        if (tokens / granted >= limits.tokensPerStory()) {
            return Optional.of(tokens + " of " + limits.tokensPerStory() * granted + " tokens are used up");
        }
        Optional<String> time = outOfTime();
        if (time.isPresent()) {
            return time;
        }
        return limits.costPerStory()
                .map(limit -> limit.multiply(BigDecimal.valueOf(granted)))
                .filter(limit -> cost.compareTo(limit) >= 0)
                .map(limit -> CostControl.dollars(cost) + " of " + CostControl.dollars(limit) + " are used up");
    }

    /** That the story's time is used up, with figures; empty while some is left. */
    Optional<String> outOfTime() {
        long granted = grants + 1L;
        Duration time = elapsed();
        return time.dividedBy(granted).compareTo(limits.timePerStory()) < 0
                ? Optional.empty()
                : Optional.of("the story's time is used up: " + time.toSeconds() + " s of "
                        + limits.timePerStory().multipliedBy(granted).toSeconds() + " s");
    }

    /** The time that is left, at most about a year for each grant; zero or less when there is none. */
    Duration timeLeft() {
        long granted = grants + 1L;
        Duration once = limits.timePerStory().minus(elapsed().dividedBy(granted));
        return (once.compareTo(LONG) < 0 ? once : LONG).multipliedBy(granted);
    }

    /**
     * Does on the calling thread what may take long. The thread is interrupted when the story's time is used up.
     *
     * @param stop for which causes others interrupt the thread
     * @param work ends soon when the thread is interrupted
     * @param whole whether a result is one, although the thread was interrupted meanwhile
     * @throws OutOfTimeException when the time is used up before the work begins, or before it has a whole result
     */
    public <T> T timed(StopSignal stop, Supplier<T> work, Predicate<T> whole) {
        return timed(stop, work, (result, reason) -> {
            if (whole.test(result)) {
                return result;
            }
            throw new OutOfTimeException(reason, null);
        });
    }

    /**
     * Calls a tool in the same way. What it answers when it was stopped is kept, with the reason behind it.
     *
     * @throws OutOfTimeException when the time is used up before the call begins
     */
    public ToolResult timedCall(StopSignal stop, Supplier<ToolResult> call) {
        return timed(
                stop,
                call,
                (result, reason) -> result.isError()
                        ? ToolResult.error(result.text() + "\nThe call was stopped: " + reason
                                + ". What it has done until then stays; look before you call it again.")
                        : result);
    }

    private <T> T timed(StopSignal stop, Supplier<T> work, BiFunction<T, String, T> stopped) {
        outOfTime().ifPresent(reason -> {
            throw new OutOfTimeException(reason, null);
        });
        TimeAlarm alarm = new TimeAlarm(this, stop);
        T result;
        try (alarm) {
            result = work.get();
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            if (alarm.reason().isEmpty() || Thread.currentThread().isInterrupted()) {
                throw e;
            }
            throw new OutOfTimeException(alarm.reason().get(), e);
        }
        return alarm.reason().map(reason -> stopped.apply(result, reason)).orElse(result);
    }
}
