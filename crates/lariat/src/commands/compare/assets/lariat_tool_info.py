# A tool-info module for BenchExec: how Lariat is called, and what its exit codes mean.
# SPDX-License-Identifier: MIT OR Apache-2.0

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """Lariat, an LTL model checker for models with unbounded data."""

    def name(self):
        return "Lariat"

    def executable(self, tool_locator):
        return tool_locator.find_executable("lariat")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="lariat")

    def cmdline(self, executable, options, task, rlimits):
        described = task.options if isinstance(task.options, dict) else {}
        if described.get("data_model") == "ILP32":
            message = "numbers of programs for 32 bits have other sizes than those of LP64"
            raise benchexec.tools.template.UnsupportedFeatureException(message)
        command = [executable, "check"]
        command += [option for option in options if option]
        command += task.input_files_or_identifier
        question = described.get("lariat")
        if question:
            # What `lariat compare --benchexec` wrote; `--own` are the properties of the model itself.
            question = [question] if isinstance(question, str) else question
            command += [word for word in question if word != "--own"]
        elif task.property_file:
            command += ["--prop", task.property_file]
        limit = rlimits.walltime or rlimits.cputime
        if limit:
            command += ["--timeout", f"{limit}s"]
        if rlimits.memory:
            command += ["--memory", f"{rlimits.memory // 2**20}MiB"]
        return command

    def determine_result(self, run):
        code = run.exit_code.value
        if code == 0:
            return result.RESULT_TRUE_PROP
        if code == 1:
            return result.RESULT_FALSE_PROP
        if code == 3:
            return result.RESULT_UNKNOWN
        if code == 2:
            return f"{result.RESULT_ERROR} (input)"
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        # A line such as `time: 0.1 s`, by what stands before the colon.
        for line in output:
            name, colon, value = line.partition(":")
            if colon and name.strip() == identifier:
                return value.strip()
        return None
