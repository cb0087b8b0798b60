import { useMemo } from 'react';
import { encode } from 'uqr';

/** In modules; scanners need it. */
const QUIET_ZONE = 4;

/** A QR code, black on white in every theme, as scanners expect it. */
export function QrCode({
  value,
  label,
  size,
}: {
  readonly value: string;
  readonly label: string;
  readonly size: number;
}) {
  const { path, modules } = useMemo(() => {
    const code = encode(value, { ecc: 'M', border: QUIET_ZONE });
    const dark = code.data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    );
    return { path: dark.join(''), modules: code.size };
  }, [value]);
  return (
    <svg
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`0 0 ${modules} ${modules}`}
      shapeRendering="crispEdges"
      style={{ background: '#fff', maxWidth: '100%', borderRadius: 'var(--mantine-radius-md)' }}
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
