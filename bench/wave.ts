/** Messages per wave (the default of `DISPATCH_WAVE_SIZE`). */
export const WAVE = 50;
