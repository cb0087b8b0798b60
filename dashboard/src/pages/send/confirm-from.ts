/** From so many recipients on, a send is confirmed. */
export const CONFIRM_FROM = 10;
