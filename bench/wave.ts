/** Messages of a wave: as many as one send hands over at once (`DISPATCH_WAVE_SIZE`, left as it is). */
export const WAVE = 50;
