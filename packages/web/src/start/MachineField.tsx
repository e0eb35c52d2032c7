/** A field for the machine on which a session starts; shown only if there are nodes. */
import { useSessions } from '../sessions/store.ts';

interface MachineFieldProps {
  /** The node; null means the machine of the gateway. */
  readonly value: string | null;
  readonly onValue: (node: string | null) => void;
}

export function MachineField({ value, onValue }: MachineFieldProps) {
  const nodes = useSessions((now) => now.nodes);
  if (nodes.length === 0) return null;
  return (
    <label className="field">
      <span>Machine</span>
      <select value={value ?? ''} onChange={({ target }) => onValue(target.value === '' ? null : target.value)}>
        <option value="">this one</option>
        {nodes.map(({ name, state }) => (
          <option key={name} value={name} disabled={state === 'away'}>
            {state === 'away' ? `${name} (away)` : name}
          </option>
        ))}
      </select>
    </label>
  );
}
