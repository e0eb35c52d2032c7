/** The fields that both forms have, for a command and for an agent. */
interface FieldProps {
  readonly value: string;
  readonly placeholder: string;
  readonly onValue: (value: string) => void;
}

export function NameField({ value, placeholder, onValue }: FieldProps) {
  return (
    <label className="field">
      <span>Name</span>
      <input
        value={value}
        maxLength={100}
        placeholder={placeholder}
        dir="auto"
        onChange={({ target }) => onValue(target.value)}
      />
    </label>
  );
}

export function EnvironmentField({ value, placeholder, onValue }: FieldProps) {
  return (
    <label className="field">
      <span>Environment, one NAME=value on each line</span>
      <textarea
        className="mono"
        rows={3}
        value={value}
        placeholder={placeholder}
        spellCheck={false}
        onChange={({ target }) => onValue(target.value)}
      />
    </label>
  );
}

/** The reason why it could not be started. */
export function Trouble({ text }: { readonly text: string | null }) {
  return (
    text !== null && (
      <p className="trouble" role="alert">
        {text}
      </p>
    )
  );
}
