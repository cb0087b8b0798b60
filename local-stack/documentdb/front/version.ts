/** The MongoDB version whose commands the extension speaks. */
export const VERSION = '7.0.0';
export const VERSION_ARRAY = [7, 0, 0, 0];
