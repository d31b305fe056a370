package dev.holdfast.http.durablestreams.subscriptions;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/** Tells addresses of the public internet from all others. */
final class PublicAddresses {

    /** A range of addresses. */
    private record Range(byte[] prefix, int bits) {

        static Range of(int bits, int... octets) {
            byte[] prefix = new byte[octets.length];
            for (int i = 0; i < octets.length; i++) {
                prefix[i] = (byte) octets[i];
            }
            return new Range(prefix, bits);
        }

        boolean holds(byte[] address) {
            int whole = bits / 8;
            int rest = bits % 8;
            if (!Arrays.equals(address, 0, whole, prefix, 0, whole)) {
                return false;
            }
            int mask = 0xff << (8 - rest);
            return rest == 0 || (address[whole] & mask) == (prefix[whole] & mask);
        }
    }

    /** IPv4 that is not public, by RFC 6890 and its successors. */
    private static final List<Range> RESERVED_4 = List.of(
            Range.of(8, 0),
            Range.of(8, 10),
            Range.of(10, 100, 64),
            Range.of(8, 127),
            Range.of(16, 169, 254),
            Range.of(12, 172, 16),
            Range.of(24, 192, 0, 0),
            Range.of(24, 192, 0, 2),
            Range.of(24, 192, 88, 99),
            Range.of(16, 192, 168),
            Range.of(15, 198, 18),
            Range.of(24, 198, 51, 100),
            Range.of(24, 203, 0, 113),
            Range.of(3, 224));

    /** Public IPv6 is 2000::/3 without what is reserved, or carries an IPv4 address, within it. */
    private static final Range GLOBAL_6 = Range.of(3, 0x20);

    private static final List<Range> RESERVED_6 = List.of(
            Range.of(23, 0x20, 0x01, 0x00),
            Range.of(32, 0x20, 0x01, 0x0d, 0xb8),
            Range.of(16, 0x20, 0x02),
            Range.of(20, 0x3f, 0xff, 0x00));

    private PublicAddresses() {}

    static boolean isPublic(InetAddress address) {
        byte[] bytes = address.getAddress();
        return address instanceof Inet4Address
                ? RESERVED_4.stream().noneMatch(range -> range.holds(bytes))
                : GLOBAL_6.holds(bytes) && RESERVED_6.stream().noneMatch(range -> range.holds(bytes));
    }
}
