//! The standard function blocks, as the standard writes them: in Structured Text.
//!
//! Timers know time from `elapsed`, which the start of each scan increases by the duration of the last cycle while `running`
//! is true, up to `PT` ([`super::lower`]). So a timer counts also while it is not called, as a clock does.

/// The blocks that time passes for.
pub(super) const TIMERS: [&str; 3] = ["TON", "TOF", "TP"];

/// Their text.
pub(super) const TEXT: &str = "
FUNCTION_BLOCK R_TRIG
VAR_INPUT CLK : BOOL; END_VAR
VAR_OUTPUT Q : BOOL; END_VAR
VAR M : BOOL; END_VAR
Q := CLK AND NOT M;
M := CLK;
END_FUNCTION_BLOCK

FUNCTION_BLOCK F_TRIG
VAR_INPUT CLK : BOOL; END_VAR
VAR_OUTPUT Q : BOOL; END_VAR
VAR M : BOOL; END_VAR
Q := NOT CLK AND NOT M;
M := NOT CLK;
END_FUNCTION_BLOCK

FUNCTION_BLOCK SR
VAR_INPUT S1 : BOOL; R : BOOL; END_VAR
VAR_OUTPUT Q1 : BOOL; END_VAR
Q1 := S1 OR NOT R AND Q1;
END_FUNCTION_BLOCK

FUNCTION_BLOCK RS
VAR_INPUT S : BOOL; R1 : BOOL; END_VAR
VAR_OUTPUT Q1 : BOOL; END_VAR
Q1 := NOT R1 AND (S OR Q1);
END_FUNCTION_BLOCK

FUNCTION_BLOCK CTU
VAR_INPUT CU : BOOL; R : BOOL; PV : INT; END_VAR
VAR_OUTPUT Q : BOOL; CV : INT; END_VAR
VAR M : BOOL; END_VAR
IF R THEN
  CV := 0;
ELSIF CU AND NOT M AND CV < 32767 THEN
  CV := CV + 1;
END_IF;
M := CU;
Q := CV >= PV;
END_FUNCTION_BLOCK

FUNCTION_BLOCK CTD
VAR_INPUT CD : BOOL; LD : BOOL; PV : INT; END_VAR
VAR_OUTPUT Q : BOOL; CV : INT; END_VAR
VAR M : BOOL; END_VAR
IF LD THEN
  CV := PV;
ELSIF CD AND NOT M AND CV > -32768 THEN
  CV := CV - 1;
END_IF;
M := CD;
Q := CV <= 0;
END_FUNCTION_BLOCK

FUNCTION_BLOCK CTUD
VAR_INPUT CU : BOOL; CD : BOOL; R : BOOL; LD : BOOL; PV : INT; END_VAR
VAR_OUTPUT QU : BOOL; QD : BOOL; CV : INT; END_VAR
VAR MU : BOOL; MD : BOOL; END_VAR
VAR_TEMP up : BOOL; down : BOOL; END_VAR
up := CU AND NOT MU;
down := CD AND NOT MD;
IF R THEN
  CV := 0;
ELSIF LD THEN
  CV := PV;
ELSIF NOT (up AND down) THEN
  IF up AND CV < 32767 THEN
    CV := CV + 1;
  ELSIF down AND CV > -32768 THEN
    CV := CV - 1;
  END_IF;
END_IF;
MU := CU;
MD := CD;
QU := CV >= PV;
QD := CV <= 0;
END_FUNCTION_BLOCK

FUNCTION_BLOCK TON
VAR_INPUT IN : BOOL; PT : TIME; END_VAR
VAR_OUTPUT Q : BOOL; ET : TIME; END_VAR
VAR running : BOOL; elapsed : TIME; END_VAR
IF NOT IN THEN
  running := FALSE;
  elapsed := T#0s;
ELSE
  running := TRUE;
END_IF;
ET := LIMIT(T#0s, elapsed, PT);
Q := IN AND elapsed >= PT;
END_FUNCTION_BLOCK

FUNCTION_BLOCK TOF
VAR_INPUT IN : BOOL; PT : TIME; END_VAR
VAR_OUTPUT Q : BOOL; ET : TIME; END_VAR
VAR running : BOOL; elapsed : TIME; END_VAR
IF IN THEN
  Q := TRUE;
  running := FALSE;
  elapsed := T#0s;
ELSE
  running := running OR Q;
  IF elapsed >= PT THEN
    Q := FALSE;
  END_IF;
END_IF;
ET := LIMIT(T#0s, elapsed, PT);
END_FUNCTION_BLOCK

FUNCTION_BLOCK TP
VAR_INPUT IN : BOOL; PT : TIME; END_VAR
VAR_OUTPUT Q : BOOL; ET : TIME; END_VAR
VAR running : BOOL; elapsed : TIME; END_VAR
IF NOT running AND IN THEN
  running := TRUE;
  elapsed := T#0s;
  Q := TRUE;
END_IF;
IF running AND elapsed >= PT THEN
  Q := FALSE;
  IF NOT IN THEN
    running := FALSE;
    elapsed := T#0s;
  END_IF;
END_IF;
ET := LIMIT(T#0s, elapsed, PT);
END_FUNCTION_BLOCK
";
