package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Reads SQLite's write-ahead log before SQLite does, and refuses one that has lost commits.
 *
 * <p><b>The danger.</b> A crash may tear the last transaction, so SQLite ends the log, in silence, before the first frame whose checksum
 * is wrong. A flipped bit in the middle looks the same: every commit behind it would be gone without a word.
 *
 * <p><b>How the two are told apart.</b> A transaction is synced before the next one writes its first frame. So if a frame of a
 * <em>later</em> transaction follows, the bad frame was once on disk in full, and it is damage. A frame's checksum goes on from the one
 * before it, which is stored there; so a frame behind the bad one can still be verified from what its neighbour stores. The evidence asked
 * for is a commit frame at or behind the bad frame, directly followed by a frame that carries on from it. Also damage is a frame that
 * carries on the good chain and has the wrong salt: 64 bits of checksum do not match by chance.
 *
 * <p><b>What is no damage.</b> When the log starts over, frames of its former round remain behind the new ones; they have another salt.
 * A transaction that was rolled back, or that ran out of disk, may leave frames with the right salt; none is a commit frame with a
 * follower. A bad header with nothing behind it is a log that was never used.
 *
 * <p><b>What cannot be seen.</b> Damage inside the very last transaction, and a log cut off at a frame's end or deleted: these look just
 * like a crash. (The journal knows how far it once went, as of its last release or clean close, and finds some of that.)
 *
 * <p>Layout of the file, integers big-endian: a header of 32 bytes (magic, version, page size, checkpoint number, two salts, two
 * checksums), then frames: page number, database size after a commit or 0, two salts, two checksums, and the page.
 */
final class WalScan {

    private static final int HEADER_BYTES = 32;
    private static final int FRAME_HEADER_BYTES = 24;
    /** The magic number without its last bit, which tells the byte order of the checksums. */
    private static final int MAGIC = 0x377F0682;

    private static final int VERSION = 3007000;
    private static final int MIN_PAGE_BYTES = 512;
    private static final int MAX_PAGE_BYTES = 65536;

    private final Path file;
    private final FileChannel channel;

    private WalScan(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Checks the write-ahead log of this database file.
     *
     * @throws StoreDamaged if commits would be lost
     */
    static void check(Path database) throws IOException {
        Path wal = database.resolveSibling(database.getFileName() + "-wal");
        if (!Files.exists(wal)) {
            return;
        }
        boolean databaseIsEmpty = !Files.exists(database) || Files.size(database) == 0;
        try (FileChannel channel = FileChannel.open(wal, StandardOpenOption.READ)) {
            long commits = new WalScan(wal, channel).scan();
            if (databaseIsEmpty && commits > 0) {
                throw new StoreDamaged(
                        ("%s holds commits, but its database file is missing or empty. Restore both from a backup; "
                                        + "nothing was opened or changed.")
                                .formatted(wal));
            }
        }
    }

    /** A frame as it was read, and its checksum. */
    private record Frame(int page, int commitSize, int salt1, int salt2, WalChecksum stored, ByteBuffer bytes) {
        boolean isCommit() {
            return commitSize != 0;
        }

        WalChecksum after(WalChecksum before) {
            return before.over(bytes, 0, 8).over(bytes, FRAME_HEADER_BYTES, bytes.limit() - FRAME_HEADER_BYTES);
        }

        boolean carriesOn(WalChecksum before) {
            return after(before).equals(stored);
        }
    }

    /** Returns the number of commits that SQLite will find. */
    private long scan() throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        if (!readFully(header, 0)) {
            return 0;
        }
        int magic = header.getInt(0);
        int pageBytes = header.getInt(8);
        WalChecksum stored = new WalChecksum(header.getInt(24), header.getInt(28), (magic & 1) != 0);
        boolean usable = (magic & ~1) == MAGIC
                && header.getInt(4) == VERSION
                && pageBytes >= MIN_PAGE_BYTES
                && pageBytes <= MAX_PAGE_BYTES
                && Integer.bitCount(pageBytes) == 1
                && WalChecksum.start((magic & 1) != 0).over(header, 0, 24).equals(stored);
        if (!usable) {
            refuseIfCommitsFollowBadHeader(stored);
            return 0;
        }
        return scanFrames(stored, pageBytes, header.getInt(16), header.getInt(20));
    }

    private long scanFrames(WalChecksum start, int pageBytes, int salt1, int salt2) throws IOException {
        WalChecksum chain = start;
        long commits = 0;
        for (long index = 1; ; index++) {
            Frame frame = read(index, pageBytes, chain);
            if (frame == null) {
                return commits;
            }
            boolean salted = frame.salt1() == salt1 && frame.salt2() == salt2;
            boolean carriesOn = frame.carriesOn(chain);
            if (carriesOn && (!salted || frame.page() == 0)) {
                throw damaged(index, index);
            }
            if (!carriesOn || !salted) {
                refuseIfCommitsFollow(frame, index, chain, salt1, salt2, pageBytes);
                return commits;
            }
            chain = frame.stored();
            if (frame.isCommit()) {
                commits++;
            }
        }
    }

    private void refuseIfCommitsFollow(Frame bad, long badIndex, WalChecksum chain, int salt1, int salt2, int pageBytes)
            throws IOException {
        boolean afterCommit = bad.salt1() == salt1 && bad.salt2() == salt2 && bad.isCommit();
        WalChecksum neighbour = bad.stored();
        WalChecksum recomputed = bad.after(chain); // right if only the stored checksum was hit
        for (long index = badIndex + 1; ; index++) {
            Frame frame = read(index, pageBytes, chain);
            if (frame == null) {
                return;
            }
            boolean carriesOn = frame.salt1() == salt1
                    && frame.salt2() == salt2
                    && (frame.carriesOn(neighbour) || (index == badIndex + 1 && frame.carriesOn(recomputed)));
            if (afterCommit && carriesOn) {
                throw damaged(badIndex, index);
            }
            afterCommit = carriesOn && frame.isCommit();
            neighbour = frame.stored();
        }
    }

    /**
     * SQLite ignores a log whose header is bad. The header is synced before the first frame is written, so two frames that belong together,
     * one of them a commit, show that it was good once.
     */
    private void refuseIfCommitsFollowBadHeader(WalChecksum header) throws IOException {
        for (boolean bigEndian : new boolean[] {false, true}) {
            WalChecksum neighbour = header.in(bigEndian);
            boolean commit = false;
            for (long index = 1; ; index++) {
                Frame frame = read(index, SqliteLimits.PAGE_BYTES, neighbour);
                if (frame == null) {
                    break;
                }
                boolean carriesOn = frame.page() != 0 && frame.carriesOn(neighbour);
                if (carriesOn && (commit || frame.isCommit())) {
                    throw new StoreDamaged(
                            ("%s has a damaged header, but commits follow it (frame %d). Restore the store from a backup; "
                                            + "nothing was opened or changed.")
                                    .formatted(file, index));
                }
                commit = frame.page() != 0 && frame.isCommit();
                neighbour = frame.stored();
            }
        }
    }

    private @Nullable Frame read(long index, int pageBytes, WalChecksum order) throws IOException {
        int size = FRAME_HEADER_BYTES + pageBytes;
        ByteBuffer bytes = ByteBuffer.allocate(size);
        if (!readFully(bytes, HEADER_BYTES + (index - 1) * size)) {
            return null;
        }
        return new Frame(
                bytes.getInt(0),
                bytes.getInt(4),
                bytes.getInt(8),
                bytes.getInt(12),
                new WalChecksum(bytes.getInt(16), bytes.getInt(20), order.bigEndian()),
                bytes);
    }

    private boolean readFully(ByteBuffer target, long position) throws IOException {
        while (target.hasRemaining()) {
            int read = channel.read(target, position + target.position());
            if (read < 0) {
                return false;
            }
        }
        target.flip();
        return true;
    }

    private StoreDamaged damaged(long bad, long later) {
        return new StoreDamaged(
                ("%s is damaged at frame %d: commits behind it (frame %d) would be lost. Restore the store from a backup; "
                                + "nothing was opened or changed.")
                        .formatted(file, bad, later));
    }
}
