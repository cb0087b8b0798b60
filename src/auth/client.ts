/** The client of a request, as shown in the list of sessions. */
export interface Client {
  /** An IPv4 address, or the /64 of an IPv6 address. */
  readonly address: string;
  readonly userAgent?: string;
}
