/** The same picture as the favicon. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  return <img src="/favicon.svg" width={size} height={size} alt="" />;
}
