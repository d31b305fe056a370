package dev.holdfast.bench.postgres;

import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/** What is loaded with chunks. */
interface Producers extends AutoCloseable {

    /** How many append at the same time. */
    int count();

    /**
     * Appends chunks, as one of the producers, for as long as it is asked to.
     *
     * @param producer its number, from 0
     * @param chunk what each append is; not to be changed
     * @param durable counts each chunk once it is durable
     */
    void produce(int producer, byte[] chunk, BooleanSupplier goOn, LongAdder durable)
            throws InterruptedException, SQLException;

    @Override
    void close() throws SQLException;
}
