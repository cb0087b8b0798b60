/** The MongoDB version whose commands the extension supports. */
export const VERSION = '7.0.0';
export const VERSION_ARRAY = [7, 0, 0, 0];
