/**
 * An address for the camera of a phone: one path, dark on light in both themes, because many readers need this. Keeps PAGE-52.
 */
import { encode } from 'uqr';
import { useMemo } from 'react';

/** The quiet zone that readers need. */
const BORDER = 2;

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, path } = useMemo(() => {
    const code = encode(text, { ecc: 'L', border: BORDER });
    const cells = code.data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size: code.size, path: cells.join('') };
  }, [text]);
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
