/** What a version of the app can do. */
export interface AppAbilities {
  /** A stream without Google services or with the channel SSE_ONLY. */
  readonly streams: boolean;
  readonly channelSetting: boolean;
  /** `sender` and `recipient` in the payload of a received SMS; before only `phoneNumber`. */
  readonly namesSender: boolean;
  readonly listsSims: boolean;
  readonly announcesStart: boolean;
  /** Reads `state` of a listed message and the event MessageCancelled. An older app sends what is listed, whatever its state. */
  readonly cancels: boolean;
  /** Reports the time of the SMS centre for a received SMS, and posts it no second time in an export. */
  readonly knowsCentreTime: boolean;
}

export function abilitiesOf(version: string): AppAbilities {
  const isAtLeast = (minor: number) => compareToMinor(version, minor) >= 0;
  return {
    streams: isAtLeast(43),
    channelSetting: isAtLeast(53),
    namesSender: isAtLeast(53),
    listsSims: isAtLeast(65),
    announcesStart: isAtLeast(66),
    cancels: isAtLeast(67),
    knowsCentreTime: isAtLeast(67),
  };
}

/** Compares a version such as 1.66.0 with version 1 of this minor number. */
function compareToMinor(version: string, minor: number): number {
  const [major = 0, own = 0] = version.split('.').map(Number);
  return (major - 1) * 1_000 + own - minor;
}
