package dev.holdfast.store.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The write transaction's connection as the application's commit callback sees it: it can do everything but end the transaction, which is
 * the store's to end, and change the session, which other transactions use after it. A guard against mistakes, not against malice.
 *
 * <p>The callback's statements are closed when it is over, so that nothing of it goes back to the pool with the connection. Belongs to the thread
 * that runs the callback.
 */
final class GuardedConnection {

    private static final Set<String> REFUSED_METHODS = Set.of(
            "commit",
            "rollback",
            "close",
            "abort",
            "setAutoCommit",
            "setSavepoint",
            "releaseSavepoint",
            "setReadOnly",
            "setTransactionIsolation",
            "setSchema",
            "setCatalog",
            "setNetworkTimeout",
            "setHoldability",
            "setTypeMap",
            "setClientInfo",
            "unwrap");

    private final Connection connection;
    private final Connection guarded;
    private final List<Statement> statements = new ArrayList<>();
    private boolean over;

    GuardedConnection(Connection connection) {
        this.connection = connection;
        this.guarded = proxy(Connection.class, this::onConnection);
    }

    Connection guarded() {
        return guarded;
    }

    /** Closes the callback's statements and refuses every further use. */
    void end() throws SQLException {
        over = true;
        for (Statement statement : statements) {
            statement.close();
        }
        statements.clear();
    }

    private @Nullable Object onConnection(Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return onObject(self, method, arguments);
        }
        String name = method.getName();
        if (name.equals("isClosed")) {
            return over;
        }
        if (name.equals("getAutoCommit") || name.equals("isWrapperFor")) {
            return false;
        }
        if (REFUSED_METHODS.contains(name)) {
            throw refused("Connection." + name);
        }
        Object result = call(connection, method, arguments);
        if (result instanceof Statement statement) {
            statements.add(statement);
            return proxy(method.getReturnType(), (p, m, a) -> onStatement(statement, p, m, a));
        }
        return result;
    }

    private @Nullable Object onStatement(
            Statement statement, Object self, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return onObject(self, method, arguments);
        }
        if (method.getName().equals("getConnection")) {
            return guarded;
        }
        if (method.getName().equals("unwrap")) {
            throw refused("Statement.unwrap");
        }
        return call(statement, method, arguments);
    }

    private @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (over) {
            throw new SQLException(
                    "The commit callback is over and its transaction with it; this connection cannot be used any more.");
        }
        if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql && takesSql(method)) {
            String ending = TransactionEndings.firstIn(sql);
            if (ending != null) {
                throw refused(ending);
            }
        }
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static boolean takesSql(Method method) {
        String name = method.getName();
        return name.startsWith("execute") || name.startsWith("prepare") || name.equals("addBatch");
    }

    private static SQLException refused(String what) {
        return new SQLException(
                what
                        + " is not the commit callback's to call: the store commits or rolls back its transaction. To have it rolled back, throw.");
    }

    @SuppressWarnings("ReferenceEquality") // a proxy is equal to itself alone
    private static @Nullable Object onObject(Object self, Method method, @Nullable Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "equals" -> arguments != null && self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            default -> "guarded connection of a commit callback";
        };
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
